import type { Finding, ObservedEvent } from '../checker.js';

/** A record of a stream's topic, as any reader of the Kafka topic sees the record. */
export interface TopicEventRecord {
  partition: number;
  offset: number;
  event_id: string;
  entity_id: string | null;
  /** The value of the header `expected-version`; null for a record without this header. */
  expected: number | null;
  /** Index and size in the header `atomic-group`, if the record has it. */
  group?: { index: number; size: number } | undefined;
}

/**
 * The decision on one record that follows from the log alone. `current` is the version that the entity had when its
 * record was refused.
 */
export type RecordDecision = TopicEventRecord &
  (
    | { outcome: 'accepted'; version: number }
    | { outcome: 'repeated' }
    | { outcome: 'refused'; current: number }
  );

/**
 * Decides each record from the log alone, in the offset order of each partition. A record with the event id of an
 * accepted record is a repeat. A record whose expected version differs from the version of its entity is refused. The
 * records of an atomic group, which follow each other, have the decision of the first one, and are refused if only some
 * of them are repeats. The records are those of one stream, in any order, and fewer than an id window can have.
 */
export function decideLog(records: readonly TopicEventRecord[]): RecordDecision[] {
  const accepted = new Set<string>();
  const versions = new Map<string | null, number>();
  const inOrder = records.toSorted((a, b) => a.partition - b.partition || a.offset - b.offset);
  let refused = { until: 0, partition: -1, current: 0 };
  return inOrder.map((record, at): RecordDecision => {
    const { event_id, entity_id, expected, partition, offset, group } = record;
    const current = versions.get(entity_id) ?? 0;
    if (group?.index === 0) {
      const members = inOrder.slice(at, at + group.size);
      const repeats = members.filter((member) => accepted.has(member.event_id)).length;
      const isAccepted = repeats === group.size || (repeats === 0 && expected === current);
      if (!isAccepted) refused = { until: offset + group.size, partition, current };
    }
    if (partition === refused.partition && offset < refused.until && group)
      return { ...record, outcome: 'refused', current: refused.current };
    if (accepted.has(event_id)) return { ...record, outcome: 'repeated' };
    if (expected !== null && expected !== current) return { ...record, outcome: 'refused', current };
    accepted.add(event_id);
    versions.set(entity_id, current + 1);
    return { ...record, outcome: 'accepted', version: current + 1 };
  });
}

/** Compares the stored events of a stream with the decisions on the records of its topic. */
export function checkDecisions(
  decisions: readonly RecordDecision[],
  stored: readonly ObservedEvent[],
): Finding[] {
  const shown = new Map(stored.map((event) => [placeOf(event), `${event.event_id} at ${event.version}`]));
  const decided = new Map(
    decisions.flatMap((one) =>
      one.outcome === 'accepted' ? [[placeOf(one), `${one.event_id} at ${one.version}`] as const] : [],
    ),
  );
  return [...new Set([...shown.keys(), ...decided.keys()])]
    .filter((place) => shown.get(place) !== decided.get(place))
    .map((place) => ({
      kind: 'views differ',
      detail: `${place}: the log says ${decided.get(place)}, the store ${shown.get(place)}`,
    }));
}

function placeOf({ partition, offset }: { partition: number; offset: number }): string {
  return `${partition}:${offset}`;
}
