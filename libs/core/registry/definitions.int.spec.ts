import { openKafkaLog } from '#kafka';
import { describeDefinitionsContract } from './definitions.contract.js';

describeDefinitionsContract('Kafka', {
  open: () =>
    openKafkaLog({
      brokers: (process.env['TEST_KAFKA_BROKERS'] ?? '').split(','),
      clientId: 'definitions-test',
      replicationFactor: 1,
    }),
  cleanedSoon: {
    'segment.ms': '1',
    'min.cleanable.dirty.ratio': '0.001',
    'max.compaction.lag.ms': '1000',
    'delete.retention.ms': '1',
  },
});
