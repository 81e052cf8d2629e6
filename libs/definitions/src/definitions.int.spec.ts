import { openKafkaLog } from '#log';
import { describeDefinitionsContract } from './definitions.contract.js';

describeDefinitionsContract('Kafka', () =>
  openKafkaLog({
    brokers: (process.env['TEST_KAFKA_BROKERS'] ?? '').split(','),
    clientId: 'definitions-test',
    replicationFactor: 1,
  }),
);
