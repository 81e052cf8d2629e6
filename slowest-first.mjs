import { BaseSequencer } from 'vitest/node';

/** Those that take longest, the longest first. What is not named here takes less, or nobody has looked. */
const slowest = [
  'test/processor.fault',
  'test/engines.fault',
  'test/apps.fault',
  'test/materializers.fault',
  'test/soak.fault',
  'test/three-brokers.fault',
  'test/projections.e2e',
  'local/src/engines.fault',
  'local/src/many-streams.fault',
  'test/hang.fault',
  'libs/log/src/kafka/kafka.fault',
  'test/live.e2e',
  'test/cost-of-one-request.e2e',
  'test/keys.e2e',
  'test/readme.e2e',
  'test/query.e2e',
  'test/pipelines.e2e',
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
