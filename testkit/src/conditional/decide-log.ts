import type { Finding, ObservedEvent } from '../checker.js';

/** A record of a stream's topic, as any Kafka reader sees it. */
export interface LoggedEvent {
  partition: number;
  offset: number;
  event_id: string;
  entity_id: string | null;
  /** The content of the header `expected-version`. */
  expected: number | null;
}

/** What the log says about one record. `current` is the version of the entity that refused it. */
export type RecordDecision = LoggedEvent &
  (
    | { outcome: 'accepted'; version: number }
    | { outcome: 'repeated' }
    | { outcome: 'refused'; current: number }
  );

/**
 * Decides each record by the rule alone, in the order of each partition: a record with the id of an accepted one is a
 * repeat, and a record whose expectation differs from the version of its entity is refused. The records are those of one
 * stream, in any order, and fewer than an id window holds.
 */
export function decideLog(records: readonly LoggedEvent[]): RecordDecision[] {
  const accepted = new Set<string>();
  const versions = new Map<string | null, number>();
  const inOrder = records.toSorted((a, b) => a.partition - b.partition || a.offset - b.offset);
  return inOrder.map((record): RecordDecision => {
    const { event_id, entity_id, expected } = record;
    if (accepted.has(event_id)) return { ...record, outcome: 'repeated' };
    const current = versions.get(entity_id) ?? 0;
    if (expected !== null && expected !== current) return { ...record, outcome: 'refused', current };
    accepted.add(event_id);
    versions.set(entity_id, current + 1);
    return { ...record, outcome: 'accepted', version: current + 1 };
  });
}

/** Compares the stored events of a stream with the decisions about the records of its topic. */
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
