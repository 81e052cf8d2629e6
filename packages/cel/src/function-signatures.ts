import { anyKind, kinds, type KindSet } from './kinds.js';

/** The kinds of values that each argument accepts (for a method, the object first), and those of the result. */
interface FunctionSignature {
  takes: readonly KindSet[];
  gives: KindSet;
}

const { boolean, number, string, list, object, timestamp, duration } = kinds;

const ofText = (gives: KindSet, ...more: KindSet[]): FunctionSignature => ({
  takes: [string, ...more],
  gives,
});
const test = ofText(boolean, string);

/** Signatures of CEL functions that are not methods, by name and number of arguments. */
export const functionKinds: Record<string, FunctionSignature> = {
  'size/1': { takes: [string | list | object], gives: number },
  'dyn/1': { takes: [anyKind], gives: anyKind },
  'int/1': { takes: [number | string | timestamp], gives: number },
  'double/1': { takes: [number | string], gives: number },
  'string/1': { takes: [string | number | boolean | timestamp | duration], gives: string },
  'timestamp/1': { takes: [string | number | timestamp], gives: timestamp },
  'duration/1': { takes: [string | duration], gives: duration },
};

/** Signatures of CEL methods, by name and number of arguments including the object. */
export const methodKinds: Record<string, FunctionSignature> = {
  'size/1': { takes: [string | list | object], gives: number },
  'startsWith/2': test,
  'endsWith/2': test,
  'contains/2': test,
  'matches/2': test,
  'lowerAscii/1': ofText(string),
  'upperAscii/1': ofText(string),
  'trim/1': ofText(string),
  'indexOf/2': ofText(number, string),
  'lastIndexOf/2': ofText(number, string),
  'substring/2': ofText(string, number),
  'substring/3': ofText(string, number, number),
  'split/2': ofText(list, string),
  'join/1': { takes: [list], gives: string },
  'join/2': { takes: [list, string], gives: string },
  ...timeParts(timestamp, ['FullYear', 'Month', 'Date', 'DayOfMonth', 'DayOfWeek', 'DayOfYear']),
  ...timeParts(timestamp | duration, ['Hours', 'Minutes', 'Seconds', 'Milliseconds']),
};

function timeParts(of: KindSet, names: readonly string[]): Record<string, FunctionSignature> {
  const signatures = names.flatMap((name): [string, FunctionSignature][] => [
    [`get${name}/1`, { takes: [of], gives: number }],
    [`get${name}/2`, { takes: [timestamp, string], gives: number }],
  ]);
  return Object.fromEntries(signatures);
}
