import { zoneDataVersion, type Calendar } from '#cel';
import type { FoldState } from '#dataflow';
import type { EpochMicros } from '#json';
import type { KeyedOperator } from '../flow/pipeline.js';
import { addToFold, lateOutcome, windowResult, type CommonWindowSettings } from './common-window-settings.js';

/** The state of an open window: its bounds are those of the zone data with which it was opened. */
type CalendarWindowState = {
  readonly fold: FoldState;
  readonly events: number;
  readonly start: EpochMicros;
  readonly end: EpochMicros;
  readonly zoneData: string;
};

/**
 * Returns the operator for the days, weeks, months, quarters or years of a time zone. A window closes when the watermark
 * reaches its end plus `lateness`.
 *
 * A window is identified by its first local date, and its state has its bounds. So after an update of the zone data, an
 * open window keeps its bounds, and a result that was emitted is not emitted again under another start. The id of the
 * result also depends on the end: if an update moves the end later after the window was closed, the events between the
 * two ends are a result of their own, and not one that the target stream refuses. An event goes to the window of its local date by the zone data of the process that reads it: it may be
 * outside of the bounds of an open window by the difference between two versions.
 */
export function calendarWindow(
  settings: CommonWindowSettings,
  calendar: Pick<Calendar, 'intervalOf'>,
  zoneData = zoneDataVersion,
): KeyedOperator<CalendarWindowState> {
  const { fold, lateness, updates } = settings;
  const resultOf = (
    name: string,
    state: CalendarWindowState,
    changedBy?: Parameters<typeof windowResult>[2],
  ) => {
    const { start, end, events } = state;
    const colon = name.indexOf(':');
    const [date, key] = [name.slice(0, colon), name.slice(colon + 1)];
    const local = { date, zoneData: state.zoneData };
    return windowResult({ key, start, end, state: state.fold, events, local }, settings, changedBy);
  };

  return {
    delay: lateness,

    rowsOf: (key, timestamp) => [`${calendar.intervalOf(timestamp).date}:${key}`],

    add(row, name, arrival) {
      const { flow, watermark } = arrival;
      const bounds = row?.state ?? { ...calendar.intervalOf(flow.event.timestamp), zoneData };
      const closesAt = bounds.end + lateness;
      if (closesAt <= watermark) return { results: [], outcome: lateOutcome(settings, flow) };
      const { state: next, failed } = addToFold(settings, row?.state.fold ?? fold.empty, arrival);
      if (failed) return { results: [], outcome: failed };
      const { start, end } = bounds;
      const events = (row?.state.events ?? 0) + 1;
      const state = { fold: next, events, start, end, zoneData: bounds.zoneData };
      return {
        row: { state, closesAt },
        results: updates ? [resultOf(name, state, flow.origin)] : [],
      };
    },

    close(row, name, watermark) {
      if (row.closesAt > watermark) return { row, results: [] };
      return { results: updates ? [] : [resultOf(name, row.state)] };
    },
  };
}
