import type { EpochMicros } from '#json';
import type { KeyedOperator, StateEntryAddResult } from '../flow/pipeline.js';
import type { FoldState } from '#dataflow';
import { addToFold, lateOutcome, windowResult, type CommonWindowSettings } from './common-window-settings.js';

type FixedWindowState = { readonly fold: FoldState; readonly events: number };

const unchanged: StateEntryAddResult<FixedWindowState> = { results: [] };

/**
 * Returns the operator for tumbling and hopping windows: [start, start + size), where starts are multiples of `every`
 * since 1970-01-01T00:00:00Z. Tumbling windows do not overlap; hopping windows do. As in Kafka Streams and Flink, a
 * window closes when the watermark reaches its end plus `lateness`. As in Flink, an event is late only if all windows
 * that it belongs to have closed.
 */
export function fixedWindow(
  settings: CommonWindowSettings,
  { size, every }: { size: EpochMicros; every: EpochMicros },
): KeyedOperator<FixedWindowState> {
  const { fold, lateness, updates } = settings;
  const newestStart = (timestamp: EpochMicros) => Math.floor(timestamp / every) * every;
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

    add(row, name, arrival) {
      const { key, flow, watermark } = arrival;
      const start = startOf(name);
      const end = start + size;
      const closesAt = end + lateness;
      if (closesAt <= watermark) {
        const isNewest = start === newestStart(flow.event.timestamp);
        return isNewest ? { results: [], outcome: lateOutcome(settings, flow) } : unchanged;
      }
      const before = row?.state ?? { fold: fold.empty, events: 0 };
      const { state, failed } = addToFold(settings, before.fold, arrival);
      if (failed) return { results: [], outcome: failed };
      const events = before.events + 1;
      const window = { key, start, end, state, events };
      return {
        row: { state: { fold: state, events }, closesAt },
        results: updates ? [windowResult(window, settings, flow.origin)] : [],
      };
    },

    close(row, name, watermark) {
      if (row.closesAt > watermark) return { row, results: [] };
      if (updates) return { results: [] };
      const start = startOf(name);
      const { fold: state, events } = row.state;
      const key = name.slice(name.indexOf(':') + 1);
      return { results: [windowResult({ key, start, end: start + size, state, events }, settings)] };
    },
  };
}
