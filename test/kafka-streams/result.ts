/** A result of one window: key, start, end and the numbers of its events. Times are in milliseconds since 1970. */
export interface WindowResult {
  key: string;
  start: number;
  end: number;
  sum: number;
  least: number;
  most: number;
  /** The numbers of its events. */
  events: number[];
}

/** Returns one line for each result in a canonical order: equal texts are equal results. */
export function lines(results: readonly WindowResult[]): string[] {
  return results.map(line).sort();
}

function line({ key, start, end, sum, least, most, events }: WindowResult): string {
  const time = (at: number) => new Date(at).toISOString().slice(0, 19);
  const numbers = [...events].sort((a, b) => a - b).join(',');
  return `${key} ${time(start)} ${time(end)} sum=${sum} least=${least} most=${most} events=${numbers}`;
}

/**
 * Converts results of Kafka Streams to ours. Two things differ on purpose:
 *
 * - The end of a session is its last event in Kafka Streams. In a pipeline the end is the last event plus the gap.
 * - An event may extend a session at exactly the last possible instant. Kafka Streams has then already emitted the
 *   session as final, and emits it again with that event. A pipeline emits the session once, after that instant.
 */
export function inOurTerms(
  results: readonly WindowResult[],
  window: { kind: string; size: number; updates: boolean },
): { results: WindowResult[]; saidTwice: number } {
  if (window.kind !== 'session') return { results: [...results], saidTwice: 0 };
  const ours = results.map((one) => ({ ...one, end: one.end + window.size * 1000 }));
  if (window.updates) return { results: ours, saidTwice: 0 };
  const last = ours.filter((one, i) => !ours.some((other, j) => j > i && isPartOf(one, other)));
  return { results: last, saidTwice: ours.length - last.length };
}

function isPartOf(one: WindowResult, other: WindowResult): boolean {
  return one.key === other.key && one.events.every((n) => other.events.includes(n));
}

/** Returns the late events: those that are in no result. */
export function lateOf(results: readonly WindowResult[], count: number): number[] {
  const taken = new Set(results.flatMap(({ events }) => events));
  return Array.from({ length: count }, (_, n) => n).filter((n) => !taken.has(n));
}

/** A result of a join: the numbers of the left and the right event, one of them null if the other joins none. */
export interface JoinResult {
  key: string;
  left: number | null;
  right: number | null;
  /** Milliseconds since 1970. */
  at: number;
}

/** Returns one line for each result in a canonical order: equal texts are equal results. */
export function joinLines(results: readonly JoinResult[]): string[] {
  return results
    .map(({ key, left, right, at }) => `${key} ${left} ${right} ${new Date(at).toISOString()}`)
    .sort();
}

/**
 * Converts results of Kafka Streams to ours. When an event comes so much out of order that the end of its interval has
 * passed, Kafka Streams emits it at once as one that joins none, although the grace period has not passed; it may join
 * another event later. A pipeline waits for the lateness.
 */
export function joinsInOurTerms(results: readonly JoinResult[]): {
  results: JoinResult[];
  joinedLater: number;
} {
  const pairs = results.filter(({ left, right }) => left !== null && right !== null);
  const [lefts, rights] = [new Set(pairs.map(({ left }) => left)), new Set(pairs.map(({ right }) => right))];
  const rest = results.filter(
    ({ left, right }) =>
      (left !== null && right !== null) || !(left === null ? rights.has(right) : lefts.has(left)),
  );
  return { results: rest, joinedLater: results.length - rest.length };
}
