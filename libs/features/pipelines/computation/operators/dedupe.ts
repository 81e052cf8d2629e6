import type { EpochMicros } from '#json';
import { DefinitionMemberReader, type DurationBounds } from '#dataflow';
import type { KeyedOperator } from '../flow/pipeline.js';
import { compileOperandKey } from '../flow/operand.js';
import type { OperatorImplementation } from './operator.js';

const bounds: DurationBounds = { least: '1s', most: '366d' };

/** State of `dedupe` for one key: the event time of the remembered event, in microseconds since 1970. */
type DedupeState = { readonly first: EpochMicros };

/**
 * `dedupe`: remembers one event of each key: the first event that passes, then each newer event that passes. `dedupe`
 * drops an event if its time and the remembered event's time are at most `within` apart. Any other event passes; an
 * event older than the remembered event passes without being remembered. The state of a key expires when the watermark
 * is more than `within` past the remembered event. If the remembered event was already behind the watermark when it
 * arrived, its arrival watermark counts instead, so that duplicates in old data are found too.
 */
export const dedupe: OperatorImplementation = {
  summary: '`{key, within}`, drops events that repeat a key within a time.',
  compile(spec, { at }) {
    const members = new DefinitionMemberReader(spec, at, ['key', 'within']);
    const keyOf = members.read('key', compileOperandKey);
    const within = members.duration('within', bounds);
    return {
      keyOf,
      identity: ['dedupe', members.any('key'), within],
      keyed: () => dedupeOperator(within, at),
    };
  },
};

function dedupeOperator(within: EpochMicros, at: string): KeyedOperator<DedupeState> {
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
      // An older event that is too far away to be a duplicate passes; the newer event remains remembered.
      if (first !== undefined && timestamp < first) return { results: [flow] };
      const closesAt = Math.max(timestamp, watermark) + within + 1;
      return { row: { state: { first: timestamp }, closesAt }, results: [flow] };
    },
    close: (row, _name, watermark) => ({ row: row.closesAt <= watermark ? undefined : row, results: [] }),
  };
}
