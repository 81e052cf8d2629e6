import type { KeyedOperator } from '../pipelines/flow.js';
import { Members, type DurationBounds } from '../pipelines/members.js';
import { compileOperandKey } from './key.js';

const bounds: DurationBounds = { least: '1s', most: '366d' };

/** A dedupe of a definition. */
export interface CompiledDedupe {
  readonly keyOf: ReturnType<typeof compileOperandKey>;
  /** What makes its state another one. */
  readonly identity: readonly unknown[];
  readonly operator: KeyedOperator;
}

/**
 * `dedupe`: remembers one event for each key, the first that passes and then each newer one that passes. Drops an event
 * whose time is at most `within` from the remembered one's; any other passes, an older one without being remembered. A key
 * is forgotten when the watermark is `within` past the remembered event, or, where that came behind the watermark, past
 * where the watermark was: repetitions in old data are found too.
 * @throws DefinitionError
 */
export function compileDedupe(spec: unknown, at: string): CompiledDedupe {
  const members = new Members(spec, at, ['key', 'within']);
  const key = members.any('key');
  const keyOf = compileOperandKey(key, members.at('key'));
  const within = members.duration('within', bounds);

  const operator: KeyedOperator = {
    delay: 0,
    rowsOf: (name) => [name],
    add(row, _name, { flow, watermark }) {
      const { timestamp } = flow.event;
      const first = row && row.closesAt > watermark && 'first' in row.state ? row.state.first : undefined;
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
  return { keyOf, identity: ['dedupe', key, within], operator };
}
