import { createHash, randomInt } from 'node:crypto';
import { BaseSequencer } from 'vitest/node';

/** Those that take longest, the longest first. What is not named here takes less, or nobody has looked. */
const slowest = [
  'test/cost-of-one-request.e2e',
  'libs/core/store/clickhouse/clickhouse.int',
  'libs/core/store/clickhouse/cluster/cluster.int',
  'test/readme.e2e',
  'test/cli/definitions.e2e',
  'test/engines.fault',
  'test/apps.fault',
  'test/processor.fault',
  'test/console/behaviour.e2e',
  'test/console/views.e2e',
  'local/src/engines.fault',
  'local/src/start.e2e',
  'test/operations.e2e',
  'test/far-duplicates.fault',
  'test/conditional-writes.fault',
  'test/absent-events.fault',
  'test/subscriptions.fault',
  'test/soak.fault',
  'test/three-brokers.fault',
  'test/requests.e2e',
  'test/hang.fault',
  'test/materializers.fault',
  'local/src/many-streams.fault',
  'test/erasure.e2e',
  'test/subscriptions.e2e',
  'test/stream-deletion.e2e',
  'test/projections.e2e',
  'test/live.e2e',
  'test/kafka/kafka.fault',
  'libs/core/registry/definitions.int',
  'libs/core/store/clickhouse/removal/interrupted.int',
  'test/emmett/tributary.e2e',
  'demo/demo.e2e',
  'test/start.fault',
  'test/slow-clients.e2e',
  'test/pipelines.e2e',
  'test/sql.e2e',
  'test/cli/events.e2e',
  'test/client/client.e2e',
  'test/slow-readers.e2e',
  'libs/core/store/clickhouse/removal/removal.int',
  'test/batch.e2e',
  'test/keys.e2e',
  'testkit/src/private-kafka-and-clickhouse.int',
].map((name) => `/dist/${name}.spec.js`);

/** Share of the files of faults that run, for CI, which has no time for all of them. FAULT_SEED chooses them. */
const faultShare = Number(process.env.FAULT_SHARE ?? 1);
const faultSeed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));

/** Returns whether a file of faults runs. */
function isChosen(moduleId) {
  if (faultShare >= 1 || !moduleId.endsWith('.fault.spec.js')) return true;
  const digest = createHash('sha256')
    .update(`${faultSeed} ${moduleId.split('/dist/').at(-1)}`)
    .digest();
  return digest.readUInt32BE() / 2 ** 32 < faultShare;
}

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
    const chosen = specs.filter(({ moduleId }) => isChosen(moduleId));
    const left = specs
      .filter((spec) => !chosen.includes(spec))
      .map(({ moduleId }) => moduleId.split('/dist/').at(-1));
    if (left.length > 0)
      process.stderr.write(
        `FAULT_SHARE=${faultShare} FAULT_SEED=${faultSeed} leaves out ${left.join(' ')}\n`,
      );
    return chosen.toSorted(
      (a, b) => order(a) - order(b) || rank(a) - rank(b) || a.project.name.localeCompare(b.project.name),
    );
  }
}
