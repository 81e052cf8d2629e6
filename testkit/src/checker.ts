import type { LedgerEntry } from './ledger.js';

/** An event as a query returned it after a test run, with its position and a hash of its content. */
export interface ObservedEvent {
  event_id: string;
  stream: string;
  entity_id: string | null;
  version: number | null;
  partition: number;
  offset: number;
  /** Hash (`hashOf`) of the event that was read. */
  hash: string;
}

/**
 * The kinds of faults that the checks find, in the terms of Jepsen. `views differ`: two ways of reading return
 * different events. The kinds from `two at one version` on concern conditional writes.
 */
export type FindingKind =
  | ('lost' | 'duplicate' | 'phantom' | 'reordered' | 'version gap' | 'wrong data' | 'views differ')
  | ('two at one version' | 'refused but stored' | 'refused without a reason' | 'accepted without a reason')
  | ('wrong version' | 'changed answer' | 'unexpected answer' | 'half of a batch');

/** A fault that a check of stored events has found, as a sentence. */
export interface Finding {
  kind: FindingKind;
  detail: string;
}

/**
 * Compares the answers that clients received with the events that were read back. An acknowledged event must exist
 * once, at the acknowledged position (a repeated event may be at an earlier position of the same partition). An event
 * with an unknown outcome must exist at most once. No other event may exist.
 */
export function checkHistory(history: readonly LedgerEntry[], observed: readonly ObservedEvent[]): Finding[] {
  const sent = new Map(history.map((entry) => [entry.event_id, entry]));
  const seen = new Map<string, ObservedEvent>();
  const findings: Finding[] = [];
  for (const event of observed) {
    if (seen.has(event.event_id)) findings.push({ kind: 'duplicate', detail: describe(event) });
    else findings.push(...judgeOne(sent.get(event.event_id), event));
    seen.set(event.event_id, event);
  }
  for (const entry of history) {
    if (entry.outcome !== 'ok' || seen.has(entry.event_id)) continue;
    const { event_id, stream, partition, offset } = entry;
    findings.push({ kind: 'lost', detail: `${event_id} acknowledged at ${stream}:${partition}:${offset}` });
  }
  return [...findings, ...judgePositions(seen), ...judgeEntities(sent, [...seen.values()])];
}

function judgeOne(entry: LedgerEntry | undefined, event: ObservedEvent): Finding[] {
  const at = describe(event);
  if (!entry) return [{ kind: 'phantom', detail: `${at} was never sent` }];
  if (entry.outcome === 'failed') return [{ kind: 'phantom', detail: `${at} was refused: ${entry.reason}` }];
  const findings: Finding[] = [];
  if (entry.stream !== event.stream || entry.entity_id !== event.entity_id || entry.hash !== event.hash)
    findings.push({ kind: 'wrong data', detail: `${at} is not what was sent` });
  if (entry.outcome === 'ok' && !isAcknowledgedPosition(entry, event))
    findings.push({
      kind: 'wrong data',
      detail: `${at} was acknowledged at ${entry.partition}:${entry.offset}`,
    });
  return findings;
}

function isAcknowledgedPosition(entry: LedgerEntry, event: ObservedEvent): boolean {
  if (entry.partition !== event.partition || entry.offset === undefined) return false;
  return entry.attempts > 1 ? event.offset <= entry.offset : event.offset === entry.offset;
}

/** Reports two events at the same position. */
function judgePositions(seen: Map<string, ObservedEvent>): Finding[] {
  const taken = new Map<string, string>();
  return [...seen.values()].flatMap((event) => {
    const position = `${event.stream}:${event.partition}:${event.offset}`;
    const other = taken.get(position);
    taken.set(position, event.event_id);
    return other
      ? [{ kind: 'duplicate' as const, detail: `${position} holds ${other} and ${event.event_id}` }]
      : [];
  });
}

/** Checks the stored events of each entity: all in one partition, in the order of sending, with versions 1 to n. */
function judgeEntities(sent: Map<string, LedgerEntry>, observed: readonly ObservedEvent[]): Finding[] {
  const entities = new Map<string, ObservedEvent[]>();
  const findings: Finding[] = [];
  for (const event of observed) {
    if (event.entity_id === null) {
      if (event.version !== null)
        findings.push({ kind: 'version gap', detail: `${describe(event)} has a version but no entity` });
      continue;
    }
    const name = `${event.stream} / ${event.entity_id}`;
    const events = entities.get(name);
    if (events) events.push(event);
    else entities.set(name, [event]);
  }
  for (const [name, events] of entities) findings.push(...judgeEntity(name, events, sent));
  return findings;
}

function judgeEntity(name: string, events: ObservedEvent[], sent: Map<string, LedgerEntry>): Finding[] {
  const findings: Finding[] = [];
  events.sort((a, b) => a.offset - b.offset);
  if (new Set(events.map((event) => event.partition)).size > 1)
    findings.push({ kind: 'reordered', detail: `${name} is in several partitions` });
  let last = 0;
  events.forEach((event, i) => {
    const sequence = sent.get(event.event_id)?.sequence ?? last;
    if (sequence < last)
      findings.push({
        kind: 'reordered',
        detail: `${name}: number ${sequence} after ${last}, ${describe(event)}`,
      });
    last = Math.max(last, sequence);
    if (event.version !== i + 1)
      findings.push({
        kind: 'version gap',
        detail: `${name}: version ${event.version} where ${i + 1} belongs, ${describe(event)}`,
      });
  });
  return findings;
}

function describe(event: ObservedEvent): string {
  return `${event.event_id} at ${event.stream}:${event.partition}:${event.offset}`;
}
