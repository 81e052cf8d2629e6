import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { until } from '../../contract/recording-consumer.js';
import { LogUnavailableError, TopicRejectedError } from '../../errors.js';
import { openKafkaLog } from '../kafka-log.js';

const brokers = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(',');
const topic = `refused.${randomUUID()}`;

describe('the settings of a topic', () => {
  it('take effect; other settings remain, and an invalid setting changes nothing', async () => {
    const log = openKafkaLog({ brokers, clientId: 'admin', replicationFactor: 1 });
    const own = `configured.${randomUUID()}`;
    await log.admin.create(own, { partitions: 1, config: { 'max.message.bytes': '1000' } });
    const producer = await log.producer();
    const fits = async (bytes: number): Promise<boolean> => {
      const written = producer.append([{ topic: own, key: 'k', value: 'x'.repeat(bytes) }]);
      return written.then(
        () => true,
        () => false,
      );
    };
    await log.admin.configure(own, { 'retention.ms': '3600000' });
    expect(await fits(5_000)).toBe(false);
    await log.admin.configure(own, { 'max.message.bytes': '10000' });
    await until(() => fits(5_000), 'the setting takes effect');
    expect(await fits(50_000)).toBe(false);
    const impossible = log.admin.configure(own, { 'max.message.bytes': '1000', 'retention.ms': 'never' });
    await expect(impossible).rejects.toMatchObject({ name: TopicRejectedError.name, reason: 'settings' });
    await log.admin.configure(own, { 'max.message.bytes': null });
    await until(() => fits(50_000), 'the default takes effect');
    await log.admin.remove(own);
    await log.close();
  });
});

describe('topics that are created at about the same time', () => {
  it('have their own settings, and one that Kafka rejects does not affect the others', async () => {
    const log = openKafkaLog({ brokers, clientId: 'admin', replicationFactor: 1 });
    const { admin } = log;
    const prefix = `together.${randomUUID()}`;
    await admin.create(`${prefix}.old`, { partitions: 5 });
    const invalid = { partitions: 1, config: { 'retention.ms': 'never' } };
    const outcomes = await Promise.allSettled([
      admin.create(`${prefix}.old`, { partitions: 1 }),
      admin.create(`${prefix}.one`, { partitions: 1 }),
      admin.create(`${prefix}.invalid`, invalid),
      admin.create(`${prefix}.two`, { partitions: 2, config: { 'max.message.bytes': '1000' } }),
      admin.create(`${prefix}.two`, { partitions: 3 }),
      admin.create(`${prefix}_two`, { partitions: 3 }),
    ]);
    const said = outcomes.map((one) =>
      one.status === 'fulfilled' ? one.value : (one.reason as TopicRejectedError).reason,
    );
    expect(said).toEqual([false, true, 'settings', true, false, 'name']);
    const counts = [`${prefix}.old`, `${prefix}.one`, `${prefix}.invalid`, `${prefix}.two`].map((name) =>
      admin.partitions(name),
    );
    expect(await Promise.all(counts)).toEqual([5, 1, undefined, 2]);
    const producer = await log.producer();
    const write = (name: string) => producer.append([{ topic: name, key: 'k', value: 'x'.repeat(5_000) }]);
    await expect(write(`${prefix}.two`)).rejects.toThrow();
    await expect(write(`${prefix}.one`)).resolves.toHaveLength(1);
    for (const name of await admin.list(prefix)) await admin.remove(name);
    await log.close();
  });

  it('are all created, and the leader of each partition answers at once', async () => {
    const log = openKafkaLog({ brokers, clientId: 'admin', replicationFactor: 1 });
    const prefix = `many.${randomUUID()}.`;
    const names = Array.from({ length: 60 }, (_, i) => `${prefix}${String(i).padStart(2, '0')}`);
    const created = await Promise.all(names.map((name) => log.admin.create(name, { partitions: 2 })));
    expect(created.every(Boolean)).toBe(true);
    expect(await log.admin.list(prefix)).toEqual(names);
    const offsets = await log.admin.offsetsIn(names);
    expect([...offsets.values()].map(({ length }) => length)).toEqual(names.map(() => 2));
    await Promise.all(names.map((name) => log.admin.remove(name)));
    await log.close();
  });
});

describe('a topic that Kafka does not create', () => {
  it('is rejected if a setting is invalid', async () => {
    const log = openKafkaLog({ brokers, clientId: 'admin', replicationFactor: 1 });
    const creation = log.admin.create(topic, { partitions: 1, config: { 'retention.ms': 'never' } });
    await expect(creation).rejects.toMatchObject({ name: TopicRejectedError.name, reason: 'settings' });
    await log.close();
  });

  it('is retried, and not rejected, while there are too few brokers', async () => {
    const bounds = { operationTimeoutMs: 300 };
    const log = openKafkaLog({ brokers, clientId: 'admin', replicationFactor: 30, bounds });
    await expect(log.admin.create(topic, { partitions: 1 })).rejects.toThrow(LogUnavailableError);
    await log.close();
  });
});
