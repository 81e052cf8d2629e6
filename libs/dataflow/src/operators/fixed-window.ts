import type { Micros } from '#event';
import type { Fold, FoldState } from '../folds/compile-fold.js';
import { readable } from '../pipelines/flow-event.js';
import type { FlowEvent, KeyedOperator, KeyedRow, KeyedStep, Outcome } from '../pipelines/flow.js';
import { reducePointer } from './reduce.js';
import { windowResult } from './window-result.js';

/** What every kind of window is made of. */
export interface WindowParts {
  readonly stage: string;
  readonly fold: Fold;
  readonly lateness: Micros;
  /** A result with each event, none at the end. */
  readonly updates: boolean;
  /** Pointers to the window and to its reduce. */
  readonly at: string;
  readonly reduceAt: string;
  /** Where late events go; undefined: the dead letters. */
  readonly late: string | undefined;
}

/** The event is late. */
export function lateOutcome({ at, late }: WindowParts, flow: FlowEvent): Outcome {
  return { kind: 'late', at, stream: late, flow };
}

/** The state with the event, or why it cannot be folded. */
export function folded(
  { fold, at, reduceAt }: WindowParts,
  state: FoldState,
  flow: FlowEvent,
): { state: FoldState; failed?: undefined } | { state?: undefined; failed: Outcome } {
  const { state: next, refused } = fold.add(state, readable(flow));
  if (next) return { state: next };
  const pointer = reducePointer(refused.pointer, reduceAt);
  return { failed: { kind: 'fail', at, pointer, detail: refused.detail, flow } };
}

const unchanged: KeyedStep = { results: [] };

/**
 * Windows of one size that begin every so often, counted from 1970-01-01T00:00:00Z: [start, start + size). Tumbling windows
 * begin where the one before ends; hopping ones overlap. As in Kafka Streams and Flink a window closes when the watermark
 * reaches its end and `lateness` more. As in Flink an event is late when every window that it belongs to has closed; one
 * that only some take is not.
 */
export function fixedWindow(
  parts: WindowParts,
  { size, every }: { size: Micros; every: Micros },
): KeyedOperator {
  const { fold, lateness, updates } = parts;
  const newestStart = (timestamp: Micros) => Math.floor(timestamp / every) * every;
  const startOf = (name: string) => Number(name.slice(0, name.indexOf(':')));

  return {
    delay: lateness,

    rowsOf(key, timestamp) {
      const newest = newestStart(timestamp);
      if (size === every) return [`${newest}:${key}`];
      const names: string[] = [];
      for (let start = newest; start > timestamp - size; start -= every) names.push(`${start}:${key}`);
      return names;
    },

    add(row, name, { key, flow, watermark }) {
      const start = startOf(name);
      const end = start + size;
      const closesAt = end + lateness;
      if (closesAt <= watermark) {
        const isNewest = start === newestStart(flow.event.timestamp);
        return isNewest ? { results: [], outcome: lateOutcome(parts, flow) } : unchanged;
      }
      const before = row ? foldOf(row) : { fold: fold.empty, events: 0 };
      const { state, failed } = folded(parts, before.fold, flow);
      if (failed) return { results: [], outcome: failed };
      const events = before.events + 1;
      const window = { key, start, end, state, events };
      return {
        row: { state: { fold: state, events }, closesAt },
        results: updates ? [windowResult(window, parts, flow.origin)] : [],
      };
    },

    close(row, name, watermark) {
      if (row.closesAt > watermark) return { row, results: [] };
      if (updates) return { results: [] };
      const start = startOf(name);
      const { fold: state, events } = foldOf(row);
      const key = name.slice(name.indexOf(':') + 1);
      return { results: [windowResult({ key, start, end: start + size, state, events }, parts)] };
    },
  };
}

function foldOf({ state }: KeyedRow): { fold: FoldState; events: number } {
  if ('fold' in state) return state;
  throw new RangeError('a row that is no window');
}
