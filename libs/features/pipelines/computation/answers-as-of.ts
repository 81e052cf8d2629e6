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
 * Returns the answers to lookups as of a time in one projection, by `lookupName`.
 * @param found the histories of the keys: one of each partition, as JSON
 */
export function answersAsOf(
  lookups: readonly ProjectionLookup[],
  found: ReadonlyMap<string, readonly string[]>,
  fold: Fold,
): Map<string, ProjectionAnswer> {
  const read = new Map<string, StateHistory[]>();
  const historiesOf = (key: string): StateHistory[] => {
    const known = read.get(key) ?? (found.get(key) ?? []).map((text) => StateHistory.from(text));
    read.set(key, known);
    return known;
  };
  return new Map(
    lookups.flatMap((lookup) =>
      lookup.asOf ? [[lookupName(lookup), answerAsOf(lookup, lookup.asOf, { fold, of: historiesOf })]] : [],
    ),
  );
}

function answerAsOf(
  { projection, key }: ProjectionLookup,
  asOf: AsOfTime,
  { fold, of }: { fold: Fold; of: (key: string) => readonly StateHistory[] },
): ProjectionAnswer {
  const states: FoldState[] = [];
  let since: EpochMicros = -Infinity;
  for (const history of of(key)) {
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
