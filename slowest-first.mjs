import { BaseSequencer } from 'vitest/node';

/** Those that take longest, the longest first. What is not named here takes less, or nobody has looked. */
const slowest = [
  'test/processor.fault',
  'test/apps.fault',
  'test/engines.fault',
  'test/cost-of-one-request.e2e',
  'libs/store/src/clickhouse/clickhouse.int',
  'test/materializers.fault',
  'test/three-brokers.fault',
  'local/src/engines.fault',
  'test/projections.e2e',
  'test/conditional-writes.fault',
  'test/soak.fault',
  'test/hang.fault',
  'test/erasure.e2e',
  'test/readme.e2e',
  'local/src/many-streams.fault',
  'test/live.e2e',
  'libs/log/src/kafka/kafka.fault',
  'libs/registry/src/definitions.int',
  'demo/demo.e2e',
  'test/dead-letter-replay.e2e',
  'test/cli/events.e2e',
  'test/pipelines.e2e',
  'test/keys.e2e',
  'test/config.e2e',
  'test/operations.e2e',
  'libs/store/src/clickhouse/removal/interrupted.int',
  'test/query.e2e',
].map((name) => `/dist/${name}.spec.js`);

/** What takes long begins first: at the end no worker has much to do while the others have nothing. */
export class SlowestFirst extends BaseSequencer {
  async sort(specs) {
    const order = ({ project }) => project.config.sequence.groupOrder;
    const rank = ({ moduleId }) => {
      const index = slowest.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? slowest.length : index;
    };
    return specs.toSorted((a, b) => order(a) - order(b) || rank(a) - rank(b));
  }
}
