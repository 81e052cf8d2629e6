import { afterAll, beforeAll } from 'vitest';
import { openKafkaLog, type Log } from '#kafka';
import { faultSeed, PrivateKafkaAndClickHouse, SeededRandom, testsAll } from '#testkit';
import { describeLostEnds } from '../../packages/kafka/src/contract/lost-ends.js';

const random = new SeededRandom(faultSeed());
let engines: PrivateKafkaAndClickHouse;
let log: Log;

beforeAll(async () => {
  engines = await PrivateKafkaAndClickHouse.prepare({ canLosePower: true });
  await engines.startKafka();
  await engines.powerOf('kafka').writeBack();
  log = openKafkaLog({
    brokers: [engines.brokers],
    clientId: 'lost-ends',
    replicationFactor: 1,
    bounds: {
      requestTimeoutMs: 2_000,
      operationTimeoutMs: 30_000,
      sessionTimeoutMs: 6_000,
      heartbeatMs: 500,
    },
  });
});

afterAll(async () => {
  await log.close();
  await engines.stop();
});

const keep = (part: string) =>
  engines.powerOf('kafka').writeBack((name) => name.includes(part) && name.endsWith('.log'));

describeLostEnds(
  'A broker that loses power',
  () => ({
    log,
    keep: (topic) => keep(topic),
    keepCommits: () => keep('__consumer_offsets'),
    lose: async () => {
      await engines.losePower(['kafka'], { random });
      await engines.startKafka();
    },
  }),
  !testsAll,
);
