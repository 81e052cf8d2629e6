import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { testsAll, untilQueryable, type LoadDriver, type Ledger } from '#testkit';
import { sessionMs, underLoad } from '../breakable-system.js';
import { system } from './two-materializers.js';

describe('given two materializers that share the partitions', () => {
  it('when one is paused past its session and resumes as a zombie (fault 5)', async () => {
    const { stack } = system();
    const [first, second] = stack.materializers;
    await underLoad(stack, async (driver, ledger) => {
      for (const [zombie, rest] of [
        [first!, sessionMs + 5_000],
        ...(testsAll ? [[second!, sessionMs + 2_000] as const] : []),
      ] as const) {
        await driver.untilAcknowledged(200);
        zombie.pause();
        await sleep(rest);
        // The other materializer owns all partitions now, so the events written meanwhile can be queried.
        await untilTakenOver(driver, ledger);
        zombie.resume();
        await driver.untilAcknowledged(200);
      }
    });
  });

  it('when they are two, then one, then two again (fault 6)', async () => {
    const { stack } = system();
    const [first, second] = stack.materializers;
    await underLoad(stack, async (driver) => {
      for (const [app, signal] of [
        [first!, 'SIGTERM'],
        [second!, 'SIGKILL'],
        [first!, 'SIGKILL'],
      ] as const) {
        await driver.untilAcknowledged(150);
        await app.kill(signal);
        await driver.untilAcknowledged(150);
        await app.launch().ready();
      }
    });
  });

  async function untilTakenOver(driver: LoadDriver, ledger: Ledger): Promise<void> {
    await driver.untilAcknowledged(50);
    await untilQueryable({ client: system().stack.core, ledger });
  }
});
