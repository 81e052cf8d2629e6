import { describe, expect, it } from 'vitest';
import { until } from '#testkit';
import { freshStream } from '../api.js';
import { underLoad } from '../breakable-system.js';
import { system } from './one-system.js';

const mib = 1024 * 1024;

/** Kafka allocates index files with their maximum size of 10 MiB at once, so they have to fit. */
const maxFileBytes = 12 * mib;

describe('given a broker whose disk is full', () => {
  it('when it exits, no acknowledged event is lost, and writing continues when there is free space (fault 11)', async () => {
    const { stack, engines } = system();
    await engines.killKafka();
    await engines.startKafka({ maxFileBytes });
    await underLoad(stack, async (driver) => {
      const filling = fill();
      await engines.kafkaEnded();
      const refused = await filling;
      expect([503, 504]).toContain(refused);
      await engines.startKafka();
      await driver.untilAcknowledged(100);
    });
  });

  /** Writes large events of one entity until one is refused; returns the status of that answer. */
  async function fill(): Promise<number> {
    const { write } = system().stack;
    const data = { text: 'x'.repeat(mib - 1_000) };
    const event = { stream: freshStream('large'), event_type: 't', entity_id: 'e', data };
    let status = 201;
    let written = 0;
    const isRefused = async (): Promise<boolean> => {
      ({ status } = await write.post('/api/v1/events', event, { timeoutMs: 60_000 }));
      if (status === 201) written++;
      return status !== 201;
    };
    await until(isRefused, { what: 'the disk to be full', progress: () => written });
    return status;
  }
});
