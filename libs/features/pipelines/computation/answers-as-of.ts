import { TimeSlice } from '#async';
import { StateHistory, type AsOfTime, type Fold, type FoldState } from '#dataflow';
import { formatTime, type EpochMicros } from '#json';
import { lookupName } from './flow/lookup-name.js';
import type { NoHistory, ProjectionAnswer, ProjectionLookup } from './flow/pipeline.js';

/** Returns the answer to a lookup as of a time in a projection that keeps no history. */
export function noHistory(projection: string): NoHistory {
  return {
    detail: `The projection ${projection} keeps no history. Add \`history\`, such as "30d", to its definition.`,
  };
}

/**
 * Adds the answers to lookups as of a time in one projection. Yields to other work of the process.
 * @param found the histories of the keys: one of each partition, as JSON
 */
export async function answerAsOf(
  lookups: readonly ProjectionLookup[],
  { found, fold }: { found: ReadonlyMap<string, readonly string[]>; fold: Fold },
  answers: Map<string, ProjectionAnswer>,
): Promise<void> {
  const slice = new TimeSlice();
  const read = new Map<string, StateHistory[]>();
  const inOrder = lookups.flatMap((lookup) => (lookup.asOf ? [{ ...lookup, asOf: lookup.asOf }] : []));
  // In their order, a history continues at its last answer.
  inOrder.sort((a, b) => a.asOf.known - b.asOf.known || a.asOf.time - b.asOf.time);
  for (const lookup of inOrder) {
    const { key } = lookup;
    const texts = found.get(key) ?? [];
    if (slice.over(texts.reduce((sum, { length }) => sum + length, 0))) await slice.end();
    const histories = read.get(key) ?? texts.map((text) => StateHistory.from(text));
    read.set(key, histories);
    answers.set(lookupName(lookup), answerOf(lookup, { fold, histories }));
  }
}

function answerOf(
  { projection, asOf }: ProjectionLookup & { asOf: AsOfTime },
  { fold, histories }: { fold: Fold; histories: readonly StateHistory[] },
): ProjectionAnswer {
  const states: FoldState[] = [];
  let since: EpochMicros = -Infinity;
  for (const history of histories) {
    const answer = history.stateAsOf(asOf, fold);
    if ('since' in answer) since = Math.max(since, answer.since);
    else if (answer.state) states.push(answer.state);
  }
  if (since > -Infinity) return { detail: tooOld(projection, asOf, since) };
  return states.length === 0 ? null : fold.result(states.reduce((a, b) => fold.merge(a, b)));
}

function tooOld(projection: string, { time, known }: AsOfTime, since: EpochMicros): string {
  const asked = formatTime(Math.min(time, known));
  return (
    `The history of this key in the projection ${projection} begins at ${formatTime(since)}, and the state of ${asked} is ` +
    'asked for. Lengthen the `history` of the projection, or use a key that fewer events have.'
  );
}
