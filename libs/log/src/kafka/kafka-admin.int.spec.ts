import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LogUnavailableError, TopicRefusedError } from '../errors.js';
import { openKafkaLog } from './kafka-log.js';

const brokers = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(',');
const topic = `refused.${randomUUID()}`;

describe('a topic that Kafka does not create', () => {
  it('is refused for its settings when those are impossible', async () => {
    const log = openKafkaLog({ brokers, clientId: 'admin', replicationFactor: 1 });
    const creation = log.admin.create(topic, { partitions: 1, config: { 'retention.ms': 'never' } });
    await expect(creation).rejects.toMatchObject({ name: TopicRefusedError.name, reason: 'settings' });
    await log.close();
  });

  it('is waited for, and not refused, while there are too few brokers', async () => {
    const bounds = { operationTimeoutMs: 300 };
    const log = openKafkaLog({ brokers, clientId: 'admin', replicationFactor: 30, bounds });
    await expect(log.admin.create(topic, { partitions: 1 })).rejects.toThrow(LogUnavailableError);
    await log.close();
  });
});
