import type { Micros } from '#event';
import { Members, type DurationBounds } from '../definition/members.js';
import type { KeyedOperator } from '../flow/flow.js';
import { compileOperandKey } from '../flow/operand.js';
import type { Operator } from './operator.js';

const bounds: DurationBounds = { least: '1s', most: '366d' };

/** The time of the event that is remembered. */
type Remembered = { readonly first: Micros };

/**
 * `dedupe`: remembers one event for each key, the first that passes and then each newer one that passes. Drops an event
 * whose time is at most `within` from the remembered one's; any other passes, an older one without being remembered. A key
 * is forgotten when the watermark is `within` past the remembered event, or, if that came behind the watermark, past
 * where the watermark was: repetitions in old data are found too.
 */
export const dedupe: Operator = {
  summary: '`{key, within}`, drops what has been there within a time.',
  compile(spec, { at }) {
    const members = new Members(spec, at, ['key', 'within']);
    const key = members.any('key');
    const keyOf = compileOperandKey(key, members.at('key'));
    const within = members.duration('within', bounds);
    return { keyOf, identity: ['dedupe', key, within], keyed: () => remembering(within, at) };
  },
};

function remembering(within: Micros, at: string): KeyedOperator<Remembered> {
  return {
    delay: 0,
    rowsOf: (name) => [name],
    add(row, _name, { flow, watermark }) {
      const { timestamp } = flow.event;
      const first = row && row.closesAt > watermark ? row.state.first : undefined;
      if (first !== undefined && Math.abs(timestamp - first) <= within) {
        const reason = 'An earlier event has the same key.';
        return { results: [], outcome: { kind: 'drop', at, reason, flow } };
      }
      // An older one that is too far away to be a repetition: the newer one stays remembered.
      if (first !== undefined && timestamp < first) return { results: [flow] };
      const closesAt = Math.max(timestamp, watermark) + within + 1;
      return { row: { state: { first: timestamp }, closesAt }, results: [flow] };
    },
    close: (row, _name, watermark) => ({ row: row.closesAt <= watermark ? undefined : row, results: [] }),
  };
}
