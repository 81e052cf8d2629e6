import { Partitioners } from 'kafkajs';
import type { SeededRandom } from '#testkit';

/** A window that both Tributary and Kafka Streams compute. Times are in seconds. */
export interface ComparedWindowDefinition {
  kind: 'tumbling' | 'hopping' | 'session';
  /** For a session, the gap. */
  size: number;
  every: number;
  lateness: number;
  updates: boolean;
}

/** An event of the comparison with Kafka Streams: its number, possible keys, amount and time. */
export interface InputEvent {
  n: number;
  entity: string;
  shop: string;
  amount: number;
  /** Seconds since 1970. */
  at: number;
}

/** Input of the comparison with Kafka Streams: the events of one stream, and the windows to compute over them. */
export interface ComparisonScenario {
  what: string;
  partitions: number;
  /** The key of the windows: the partitioning key, or a member of `data` over all partitions. */
  key: 'entity_id' | 'shop';
  events: InputEvent[];
  /** Events from long after the others, with which all windows close. */
  closing: InputEvent[];
  windows: ComparedWindowDefinition[];
  /** Returns the grace period for Kafka Streams, in seconds, for a lateness of the windows. */
  grace: (lateness: number) => number;
  /** Whether some events are late. */
  tooLate: boolean;
}

/** A time long ago, because the time of an event is at most its ingestion time. */
const beginning = Date.parse('2020-01-01T00:00:00Z') / 1000;
export const day = 86_400;
/** The prefix of the keys of closing events. */
export const closingMark = '~';

/**
 * Returns the inputs of the comparison. Times are whole seconds, so many events are exactly at the boundaries of
 * windows, at the gap of a session, and at closing times.
 */
export function inputs(random: SeededRandom): ComparisonScenario[] {
  const [lateness, more] = [random.int(15), 40 + random.int(40)];
  return [
    {
      // One partition is far ahead, one ends early, one is empty: windows wait for the slowest partition, but not for
      // empty ones.
      what: 'keys over all partitions, out of order within the lateness',
      ...{ partitions: 4, key: 'shop', tooLate: false },
      events: numbered(random, [
        walk(random, { partition: 0, of: 4, count: 350, disorder: lateness }),
        walk(random, { partition: 1, of: 4, count: 350, disorder: lateness, ahead: 5 * 3600 }),
        walk(random, { partition: 2, of: 4, count: 40, disorder: lateness }),
      ]),
      closing: closing([0], 4),
      // Intermediate results depend on the order in which the partitions are read.
      windows: windows(random, lateness).filter(({ updates }) => !updates),
      // Kafka Streams reads the partitions in any order, so a slower one is late unless the grace period is this
      // long.
      grace: () => 30 * day,
    },
    {
      what: 'keys of the partitions, out of order beyond the lateness',
      ...{ partitions: 3, key: 'entity_id', tooLate: true },
      events: numbered(
        random,
        [0, 1, 2].map((partition) =>
          walk(random, { partition, of: 3, count: 250, disorder: lateness, tooLate: more }),
        ),
      ),
      closing: closing([0, 1, 2], 3),
      windows: windows(random, lateness),
      grace: (given) => given,
    },
    {
      what: 'keys of one partition, out of order beyond the lateness',
      ...{ partitions: 1, key: 'shop', tooLate: true },
      events: numbered(random, [
        walk(random, { partition: 0, of: 1, count: 600, disorder: lateness, tooLate: more }),
      ]),
      closing: closing([0], 1),
      windows: windows(random, lateness),
      grace: (given) => given,
    },
  ];
}

function windows(random: SeededRandom, lateness: number): ComparedWindowDefinition[] {
  const every = 1 + random.int(8);
  const shapes = [
    { kind: 'tumbling' as const, size: 2 + random.int(20) },
    { kind: 'hopping' as const, size: every + random.int(20), every },
    { kind: 'session' as const, size: 3 + random.int(12) },
  ];
  return shapes.flatMap((shape) =>
    [false, true].map((updates) => ({ every: shape.size, ...shape, lateness, updates })),
  );
}

interface Walk {
  partition: number;
  of: number;
  count: number;
  /** The maximum difference of an event's time to the latest time before it, in seconds. */
  disorder: number;
  /** The additional difference of some events. */
  tooLate?: number;
  ahead?: number;
}

/** Returns events of a partition in the order of arrival. */
export function walk(random: SeededRandom, { partition, of, count, disorder, tooLate = 0, ahead = 0 }: Walk) {
  const entities = keysOf(`p${partition}-`, { partition, of, count: 4 });
  let now = beginning + ahead;
  return Array.from({ length: count }, () => {
    now += random.chance(0.03) ? 20 + random.int(60) : random.int(4);
    const behind = random.chance(0.4) ? random.int(disorder + 1) : 0;
    const farBehind = tooLate > 0 && random.chance(0.15) ? random.int(tooLate + 1) : 0;
    return { at: now - behind - farBehind, entity: random.pick(entities) };
  });
}

/**
 * Mixes the events of several partitions; the order within each partition is kept. The shops are five with numbers from
 * `firstShop`.
 */
export function numbered(
  random: SeededRandom,
  partitions: { at: number; entity: string }[][],
  firstShop = 0,
): InputEvent[] {
  const left = partitions.map((events) => [...events]);
  const mixed: InputEvent[] = [];
  while (left.some((events) => events.length > 0)) {
    const next = random.pick(left.filter((events) => events.length > 0)).shift()!;
    mixed.push({
      ...{ n: mixed.length, ...next, shop: `shop-${firstShop + random.int(5)}` },
      amount: random.int(2001) - 1000,
    });
  }
  return mixed;
}

/** Returns closing events with enough keys that every partition of any topic keyed by them gets one. */
export function closing(partitions: readonly number[], of: number): InputEvent[] {
  const at = beginning + 400 * day;
  return partitions.flatMap((partition) =>
    keysOf(closingMark, { partition, of, count: 40 }).map((entity, i) => ({
      ...{ n: -1, entity, shop: `${closingMark}${i}`, amount: 0, at },
    })),
  );
}

const partitionOf = Partitioners.DefaultPartitioner();

function keysOf(prefix: string, { partition, of, count }: { partition: number; of: number; count: number }) {
  const partitionMetadata = Array.from({ length: of }, (_, partitionId) => ({
    ...{ partitionErrorCode: 0, partitionId, leader: 1, replicas: [], isr: [] },
  }));
  const keys: string[] = [];
  for (let i = 0; keys.length < count; i++) {
    const key = `${prefix}${i}`;
    const message = { key, value: '' };
    if (partitionOf({ topic: '', partitionMetadata, message }) === partition) keys.push(key);
  }
  return keys;
}
