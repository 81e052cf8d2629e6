import { anyButNull, type CelValue } from '#cel';
import { definitionError } from '../definition/members.js';
import { rejectedIn, storedText, type FoldOperation } from './fold-operation.js';
import { compareKept, kept, orderedKinds, read, type KeptValue } from './min-or-max.js';
import { comparePositions, type FoldEventSortKey } from './position.js';

/** An event of the list: what it is sorted by, its value as JSON text, and its position. */
type TopItem = readonly [by: KeptValue, value: string, position: FoldEventSortKey];

/** Maximum number of events in the list. */
export const mostItems = 100;
/** Maximum characters of JSON of a value, and of a text to sort by; an event with a longer one is rejected. */
const valueCharacters = 2048;
const byCharacters = 256;

/**
 * `top`: the `n` events with the largest `by`, in the order of `max`, as `{"by": …, "value": …}`. Of equal ones, the
 * earliest events are kept and come first: by event time, then partition and offset.
 */
export function top(n: number): FoldOperation<readonly TopItem[]> {
  return {
    takes: anyButNull,
    takesBy: orderedKinds,
    resultType: 'json',
    unordered: true,
    parameter: { name: 'n', apply: (value, pointer) => top(itemsOf(value, pointer)) },
    empty: [],
    add: (state, value, position) => {
      const [by, found] = value as readonly [CelValue, CelValue];
      // Checked for every event, so that an event is rejected regardless of the events before it.
      const item: TopItem = [keptBy(by), storedText(found, valueCharacters), position];
      let at = state.length;
      while (at > 0 && compareItems(item, state[at - 1]!) < 0) at--;
      return at === n ? state : [...state.slice(0, at), item, ...state.slice(at, n - 1)];
    },
    merge: (a, b) => [...a, ...b].sort(compareItems).slice(0, n),
    result: (state) =>
      `[${state.map(([by, value]) => `{"by":${storedText(read(by))},"value":${value}}`).join(',')}]`,
  };
}

function itemsOf(value: unknown, pointer: string): number {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= mostItems) return Number(value);
  throw definitionError(pointer, `must be an integer of 1 to ${mostItems}`);
}

function keptBy(by: CelValue): KeptValue {
  return rejectedIn('by', () => {
    if (typeof by === 'string') storedText(by, byCharacters);
    return kept(by);
  });
}

/** Compares two items in the order of the list. The values decide about events that a pipeline made of one event. */
function compareItems(a: TopItem, b: TopItem): number {
  return compareKept(b[0], a[0]) || comparePositions(a[2], b[2]) || (a[1] < b[1] ? -1 : Number(a[1] > b[1]));
}
