import { BaseSequencer } from 'vitest/node';

/** Those that take longest, the longest first. What is not named here takes less, or nobody has looked. */
const slowest = [
  'test/processor.fault',
  'test/cost-of-one-request.e2e',
  'test/apps.fault',
  'test/engines.fault',
  'libs/store/src/clickhouse/clickhouse.int',
  'libs/registry/src/definitions.int',
  'test/hang.fault',
  'test/three-brokers.fault',
  'test/materializers.fault',
  'local/src/engines.fault',
  'test/conditional-writes.fault',
  'test/soak.fault',
  'local/src/many-streams.fault',
  'libs/log/src/kafka/kafka.fault',
  'test/projections.e2e',
  'test/readme.e2e',
  'test/live.e2e',
  'test/erasure.e2e',
  'demo/demo.e2e',
  'test/requests.e2e',
  'test/pipelines.e2e',
  'test/dead-letter-replay.e2e',
  'test/cli/events.e2e',
  'test/keys.e2e',
  'test/config.e2e',
  'test/operations.e2e',
  'libs/store/src/clickhouse/removal/interrupted.int',
].map((name) => `/dist/${name}.spec.js`);

/**
 * What takes long begins first: at the end no worker has much to do while the others have nothing. The rest is ordered by
 * project: a worker keeps its modules as long as its next file belongs to the same project.
 */
export class SlowestFirst extends BaseSequencer {
  async sort(specs) {
    const order = ({ project }) => project.config.sequence.groupOrder;
    const rank = ({ moduleId }) => {
      const index = slowest.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? slowest.length : index;
    };
    return specs.toSorted(
      (a, b) => order(a) - order(b) || rank(a) - rank(b) || a.project.name.localeCompare(b.project.name),
    );
  }
}
