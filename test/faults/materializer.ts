import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { kafkaRequest, testsAll } from '#testkit';
import { underLoad } from '../breakable-system.js';
import { system } from './one-system.js';

describe('given a materializer that writes under load', () => {
  it('when it is killed again and again, every event is stored once (fault 3)', async () => {
    const { stack } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 5 : 2); i++) {
        await driver.untilAcknowledged(100);
        await stack.materializer.restart('SIGKILL');
      }
    });
  });

  it('when it is killed between the insert and the commit, every event is stored once (fault 3)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 3 : 2); i++) {
        // The rows are in the store, but the commit never arrives.
        await engines.kafkaProxy.trap(kafkaRequest(offsetCommit), { do: 'reset' });
        await stack.materializer.restart('SIGKILL');
        await driver.untilAcknowledged(100);
      }
    });
  });

  it('when the answer to a commit is lost, it continues (fault 3)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 3 : 2); i++) {
        await engines.kafkaProxy.trap(kafkaRequest(offsetCommit), { do: 'swallow-answer' });
        await driver.untilAcknowledged(100);
      }
    });
  });

  it('when it is stopped, it ends gracefully and leaves no work undone', async () => {
    const { stack } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < 2; i++) {
        await driver.untilAcknowledged(100);
        expect(await stack.materializer.kill('SIGTERM')).toEqual({ code: 0, signal: null });
        await sleep(500);
        await stack.materializer.launch().ready();
      }
    });
  });
});

/** The API key of this request in Kafka's protocol. */
const offsetCommit = 8;
