import { describe, expect, it } from 'vitest';
import { ProducerBufferFullError, LogUnavailableError, UnknownTopicError } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { LateBoundProducer } from '#app';
import { MeteredProducer } from './metered-producer.js';
import { produceBytes, produceErrors, produceRecords } from './write-metrics.js';

const record = { topic: 't', key: 'k', value: 'twelve bytes' };

async function givenProducer(options = {}) {
  const log = new MemoryLog(options);
  await log.admin.create('t', { partitions: 1 });
  return { log, producer: await log.producer() };
}

describe('a late producer', () => {
  it('rejects like an unreachable log until its producer is set', async () => {
    const { producer } = await givenProducer();
    const late = new LateBoundProducer();
    await expect(late.append([record])).rejects.toThrow(LogUnavailableError);
    late.use(producer);
    expect(await late.append([record])).toEqual([{ partition: 0, offset: 0 }]);
  });
});

describe('a metered producer', () => {
  const value = async (metric: typeof produceRecords) => (await metric.get()).values[0]?.value ?? 0;
  const errors = async (reason: string) =>
    (await produceErrors.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;

  it('counts acknowledged records and bytes', async () => {
    const { producer } = await givenProducer();
    const [records, bytes] = [await value(produceRecords), await value(produceBytes)];
    await new MeteredProducer(producer).append([record, record]);
    expect([await value(produceRecords), await value(produceBytes)]).toEqual([records + 2, bytes + 24]);
  });

  it('counts errors by reason, and throws them again', async () => {
    const { log, producer } = await givenProducer({ bytesInFlight: 20 });
    const metered = new MeteredProducer(producer);
    const before = await Promise.all(['overloaded', 'unavailable', 'unknown_topic'].map(errors));
    const first = metered.append([record]);
    await expect(metered.append([record])).rejects.toThrow(ProducerBufferFullError);
    await first;
    await expect(metered.append([{ ...record, topic: 'none' }])).rejects.toThrow(UnknownTopicError);
    log.down = true;
    await expect(metered.append([record])).rejects.toThrow(LogUnavailableError);
    const after = await Promise.all(['overloaded', 'unavailable', 'unknown_topic'].map(errors));
    expect(after).toEqual(before.map((count) => count + 1));
  });
});
