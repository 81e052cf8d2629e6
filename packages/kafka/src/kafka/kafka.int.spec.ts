import { randomUUID } from 'node:crypto';
import { describeLogContract } from '../log.contract.js';
import { openKafkaLog } from './kafka-log.js';

describeLogContract('Kafka', () =>
  openKafkaLog({
    brokers: (process.env['TEST_KAFKA_BROKERS'] ?? '').split(','),
    clientId: `test-${randomUUID()}`,
    replicationFactor: 1,
    bounds: {
      ...{ heartbeatMs: 200, sessionTimeoutMs: 6_000, metadataRefreshMs: 2_000 },
      ...{ subscribeDebounceMs: 50, rejoinIntervalMs: 50 },
    },
  }),
);
