import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LogUnavailableError, openKafkaLog } from '#kafka';
import { faultSeed, SeededRandom, testsAll, until, type KafkaCluster, type LoadDriver } from '#testkit';
import { underLoad } from './breakable-system.js';
import { untilInSync, useThreeBrokers } from './three-brokers.js';
import { coordinatorOf } from './topics.js';

type Node = KafkaCluster['nodes'][number];

const frozenMs = 12_000;

describe('given three brokers under load', () => {
  const system = useThreeBrokers();

  const kill = async (node: Node, driver: LoadDriver): Promise<void> => {
    const { cluster } = system();
    await cluster.kill(node);
    await driver.untilAcknowledged(200);
    await cluster.startNode(node);
  };
  const losePower = async (node: Node, driver: LoadDriver): Promise<void> => {
    const { cluster } = system();
    const { files, bytes } = await cluster.losePower(node, { random });
    process.stderr.write(`a broker lost ${bytes} bytes of ${files} files\n`);
    expect(bytes).toBeGreaterThan(0);
    await driver.untilAcknowledged(200);
    await cluster.startNode(node);
  };
  const freeze = async (node: Node, driver: LoadDriver): Promise<void> => {
    const { cluster } = system();
    cluster.freeze(node);
    await sleep(frozenMs);
    cluster.thaw(node);
    await driver.untilAcknowledged(200);
  };
  const stopInOrder = async (node: Node, driver: LoadDriver): Promise<void> => {
    const { cluster } = system();
    await cluster.stopNode(node);
    await driver.untilAcknowledged(200);
    await cluster.startNode(node);
  };

  it('when the coordinator of a group hangs, requests to it end when it leaves the cluster, before their time-out', async () => {
    const { cluster, stack } = system();
    const tenMinutes = 600_000;
    const sessionTimeoutMs = 6_000;
    const log = openKafkaLog({
      brokers: cluster.brokers.split(','),
      clientId: 'patient',
      replicationFactor: 3,
      // The consumer has to join again: its session is shorter than the cluster's wait for the broker and its own for an answer.
      bounds: {
        requestTimeoutMs: tenMinutes,
        operationTimeoutMs: tenMinutes,
        rebalanceTimeoutMs: tenMinutes,
        sessionTimeoutMs,
      },
    });
    const topic = `hangs-${randomUUID()}`;
    const partitions = [0, 1, 2, 3, 4, 5];
    const read: string[] = [];
    // If a partition's leader moves during a retry, one write may remain unacknowledged; the writer repeats it.
    const writeEach = async (value: string): Promise<void> => {
      const records = partitions.map((partition) => {
        return { topic, partition, key: 'k', value: `${value}${partition}` };
      });
      const written = () =>
        producer.append(records).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(LogUnavailableError);
            return false;
          },
        );
      await until(written, { what: `${value} in every partition` });
    };
    await log.admin.create(topic, { partitions: partitions.length });
    const producer = await log.producer();
    const consumer = log.consumer({
      group: topic,
      handler: {
        assigned: async ({ position }) => position,
        batch: async ({ records }) => void read.push(...records.map(({ value }) => String(value))),
        revoked: () => undefined,
      },
      onCrash: (error) => expect.fail(String(error)),
    });
    const passOn = async (value: string): Promise<void> => {
      await writeEach(value);
      const all = partitions.map((partition) => `${value}${partition}`);
      await until(() => all.every((one) => read.includes(one)), { what: `the records written ${value}` });
    };
    await consumer.subscribe([topic]);
    await passOn('before');
    const coordinator = await coordinatorOf(stack, topic);
    const node = cluster.nodes.find(({ id }) => id === coordinator)!;
    cluster.freeze(node);
    try {
      await passOn('meanwhile');
      await sleep(sessionTimeoutMs + 2_000);
      await passOn('after the session');
    } finally {
      cluster.thaw(node);
      await log.close();
    }
  });

  // Each fault happens once, on a broker that the seed chooses: all three brokers would take three times as long.
  const random = new SeededRandom(faultSeed());
  const first = random.int(3);
  const nodesFor = (fault: number): readonly Node[] =>
    testsAll ? system().cluster.nodes : [system().cluster.nodes[(first + fault) % 3]!];

  it.each([
    ['killed', kill, 0],
    ['frozen for longer than its session', freeze, 1],
    ['stopped', stopInOrder, 2],
    ['without power for a moment', losePower, 3],
  ] as const)(
    `when ${testsAll ? 'each' : 'one'} is %s, no event is lost, duplicated or reordered (fault 20)`,
    async (what, fault, index) => {
      const { stack } = system();
      const pauses: number[] = [];
      await underLoad(stack, async (driver) => {
        for (const node of nodesFor(index)) {
          await untilInSync(stack);
          const over = longestPause(driver);
          await fault(node, driver);
          pauses.push(over());
        }
        await untilInSync(stack);
      });
      const shown = pauses.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ');
      process.stderr.write(`longest pauses of writing while a broker is ${what}: ${shown}\n`);
    },
  );
});

/**
 * Measures the longest time without any acknowledgement. Returns a function that ends the measurement and returns
 * milliseconds.
 */
function longestPause(driver: LoadDriver): () => number {
  let [seen, at, longest] = [driver.acknowledged, performance.now(), 0];
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - at);
    if (driver.acknowledged > seen) [seen, at] = [driver.acknowledged, now];
  };
  const timer = setInterval(look, 50);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}
