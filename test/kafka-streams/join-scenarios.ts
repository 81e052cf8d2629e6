import type { SeededRandom } from '#testkit';
import { closing, day, numbered, walk, type InputEvent } from './comparison-scenarios.js';

/** A join that both Tributary and Kafka Streams compute. Times are in seconds. */
export interface ComparedJoinDefinition {
  kind: 'inner' | 'left' | 'outer';
  before: number;
  after: number;
  lateness: number;
}

/** The events of one side, and those from long after them, with which everything is decided. */
export interface JoinedInput {
  partitions: number;
  events: InputEvent[];
  closing: InputEvent[];
}

/** Input of the comparison of joins: the events of both sides. No event is late. */
export interface JoinScenario {
  what: string;
  key: 'entity_id' | 'shop';
  left: JoinedInput;
  /** Undefined if the left side is joined with itself. */
  right: JoinedInput | undefined;
  /** Whether the left side has only the amounts of at least 0, and the right side the others. */
  split: boolean;
  joins: ComparedJoinDefinition[];
  /** Returns the grace period for Kafka Streams, in seconds, for a lateness of the joins. */
  grace: (lateness: number) => number;
}

/** Times are whole seconds and intervals a few seconds long, so many pairs are exactly at the bounds. */
export function joinInputs(random: SeededRandom): JoinScenario[] {
  const disorder = 3 + random.int(12);
  return [
    {
      what: '4 and 3 partitions, a member of data, out of order',
      ...{ key: 'shop', split: false, joins: joins(random, disorder), grace: ofSlowerPartitions },
      left: {
        partitions: 4,
        events: numbered(random, [
          walk(random, { partition: 0, of: 4, count: 300, disorder }),
          walk(random, { partition: 1, of: 4, count: 200, disorder, ahead: 5 * 3600 }),
          walk(random, { partition: 2, of: 4, count: 40, disorder }),
        ]),
        closing: closing([0], 4),
      },
      right: {
        partitions: 3,
        // Two shops have only left events, and two have only right ones.
        events: numbered(
          random,
          [
            walk(random, { partition: 0, of: 3, count: 300, disorder }),
            walk(random, { partition: 1, of: 3, count: 60, disorder, ahead: 5 * 3600 }),
          ],
          2,
        ),
        closing: closing([2], 3),
      },
    },
    {
      what: '3 partitions each, the entity, in order within a partition',
      ...{ key: 'entity_id', split: false, joins: joins(random, 0), grace: ofSlowerPartitions },
      left: ofEntities(random, 200),
      right: ofEntities(random, 120),
    },
    {
      what: '1 partition with itself, a member of data, out of order',
      ...{ key: 'shop', split: false, joins: joins(random, disorder), grace: asGiven },
      left: ofOnePartition(random, disorder),
      right: undefined,
    },
    {
      // Kafka Streams reads both sides in the order of arrival, so its stream time is our watermark.
      what: '1 partition split by the amount, the entity, out of order',
      ...{ key: 'entity_id', split: true, joins: joins(random, disorder), grace: asGiven },
      left: ofOnePartition(random, disorder),
      right: undefined,
    },
  ];
}

/** Kafka Streams reads the partitions in any order, so a slower one is late unless the grace period is this long. */
const ofSlowerPartitions = () => 30 * day;
const asGiven = (lateness: number) => lateness;

function joins(random: SeededRandom, disorder: number): ComparedJoinDefinition[] {
  const [some, more] = [1 + random.int(6), 3 + random.int(12)];
  const intervals = [
    { kinds: ['inner', 'left', 'outer'] as const, before: some, after: more },
    { kinds: ['outer'] as const, before: more, after: some },
    { kinds: ['left', 'outer'] as const, before: 0, after: more },
    { kinds: ['inner', 'outer'] as const, before: some, after: 0 },
    { kinds: ['outer'] as const, before: 0, after: 0 },
  ];
  return intervals.flatMap(({ kinds, before, after }) =>
    kinds.map((kind) => ({ kind, before, after, lateness: disorder + random.pick([0, 0, 5]) })),
  );
}

function ofEntities(random: SeededRandom, count: number): JoinedInput {
  const partitions = [0, 1, 2];
  return {
    partitions: partitions.length,
    events: numbered(
      random,
      partitions.map((partition) => walk(random, { partition, of: 3, count, disorder: 0 })),
    ),
    closing: closing(partitions, partitions.length),
  };
}

function ofOnePartition(random: SeededRandom, disorder: number): JoinedInput {
  return {
    partitions: 1,
    events: numbered(random, [walk(random, { partition: 0, of: 1, count: 400, disorder })]),
    closing: closing([0], 1),
  };
}
