import { childrenOf, kindOf } from './json-tree.js';

/** One difference: a JSON pointer, and the exact text on each side; undefined where the value is missing. */
export interface JsonDifference {
  pointer: string;
  before: string | undefined;
  after: string | undefined;
}

/**
 * Returns the differences of two JSON texts, at most `most`. Objects and arrays are compared by member, other values
 * by their text: `1.0` and `1` differ.
 */
export function jsonDiff(before: string, after: string, most = 500): JsonDifference[] {
  const differences: JsonDifference[] = [];
  for (const difference of compare({ pointer: '', before: before.trim(), after: after.trim() })) {
    if (differences.push(difference) === most) break;
  }
  return differences;
}

function* compare(pair: JsonDifference): Generator<JsonDifference, void, undefined> {
  const { pointer, before, after } = pair;
  if (before === after) return;
  if (before === undefined || after === undefined || !sameContainer(before, after)) return yield pair;
  const [left, right] = [membersOf(before), membersOf(after)];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    yield* compare({
      pointer: `${pointer}/${escaped(name)}`,
      before: left.get(name),
      after: right.get(name),
    });
  }
}

function sameContainer(before: string, after: string): boolean {
  const kind = kindOf(before);
  return kind === kindOf(after) && (kind === 'object' || kind === 'array');
}

function membersOf(text: string): Map<string, string> {
  return new Map([...childrenOf(text)].map((child) => [child.name, child.text]));
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
