/** What is known of a window when it is said. Times in milliseconds since 1970. */
export interface WindowResult {
  key: string;
  start: number;
  end: number;
  sum: number;
  least: number;
  most: number;
  /** Numbers of its events. */
  events: number[];
}

/** One line for each, in an order of their own: equal texts are equal results. */
export function lines(results: readonly WindowResult[]): string[] {
  return results.map(line).sort();
}

function line({ key, start, end, sum, least, most, events }: WindowResult): string {
  const time = (at: number) => new Date(at).toISOString().slice(0, 19);
  const numbers = [...events].sort((a, b) => a - b).join(',');
  return `${key} ${time(start)} ${time(end)} sum=${sum} least=${least} most=${most} events=${numbers}`;
}

/**
 * What Kafka Streams says, in our terms. Two things differ, on purpose:
 *
 * - The end of a session is its last event there, here that and the gap.
 * - At the very instant at which a session can be extended for the last time, Kafka Streams has said already that it is
 *   final, and says it once more with the event that extends it. Here it is said once, when that instant is past.
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

/** The events of which no result knows: they were late. */
export function lateOf(results: readonly WindowResult[], count: number): number[] {
  const taken = new Set(results.flatMap(({ events }) => events));
  return Array.from({ length: count }, (_, n) => n).filter((n) => !taken.has(n));
}
