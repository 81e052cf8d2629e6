import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { until } from '../contract/recording-consumer.js';
import { LogUnavailableError, TopicRejectedError } from '../errors.js';
import { openKafkaLog } from './kafka-log.js';

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
