import { formatTime, latestTime, type EpochMicros } from '#json';
import { LazilyParsedEvent, readableEvent } from '../flow/lazily-parsed-event.js';
import type { KeyedEvent, PipelineEvent, OperatorOutcome, Provenance } from '../flow/pipeline.js';
import type { Fold, FoldState } from '#dataflow';

/** What all windows have in common. */
export interface CommonWindowSettings {
  readonly stage: string;
  readonly fold: Fold;
  readonly lateness: EpochMicros;
  /** True (`"emit": "updates"`) if each event emits a result of its window, and the end of the window emits none. */
  readonly updates: boolean;
  /** JSON pointers to the window operator, and to its reduce. */
  readonly at: string;
  readonly reduceAt: string;
  /** Name of the stream that late events are written to; if undefined, late events become dead letters. */
  readonly late: string | undefined;
}

/** Returns the outcome for an event that arrived after its window had closed. */
export function lateOutcome({ at, late }: CommonWindowSettings, flow: PipelineEvent): OperatorOutcome {
  return { kind: 'late', at, stream: late, flow };
}

/** Returns the fold state after the event, or a fail outcome if the event cannot be folded. */
export function addToFold(
  { fold, at, reduceAt }: CommonWindowSettings,
  state: FoldState,
  { flow, values }: Pick<KeyedEvent, 'flow' | 'values'>,
): { state: FoldState; failed?: undefined } | { state?: undefined; failed: OperatorOutcome } {
  const event = readableEvent(flow);
  const { state: next, refused } = values
    ? fold.addValues(state, values, event.position)
    : fold.add(state, event);
  if (next) return { state: next };
  const pointer = reducePointer(refused.pointer, reduceAt);
  return { failed: { kind: 'fail', at, pointer, detail: refused.detail, flow } };
}

/** Translates a pointer of a fold, such as `/fields/n/value`, into a pointer into the reduce. */
export function reducePointer(pointer: string, reduceAt: string): string {
  return reduceAt + pointer.slice('/fields'.length);
}

/** One window of a key: its range of event time (`end` is exclusive), its fold state, and its number of events. */
interface FoldedWindow {
  readonly key: string;
  readonly start: EpochMicros;
  readonly end: EpochMicros;
  readonly state: FoldState;
  readonly events: number;
  /** The local date that identifies a window of a calendar, and the version of the zone data of its range. */
  readonly local?: { readonly date: string; readonly zoneData: string };
}

/**
 * Returns the event of a window's result. As in Flink, its time is the last instant inside the window, so that a
 * following window assigns it correctly. Its id is empty until it is emitted.
 * @param changedBy provenance of the event that changed the window; undefined if the window closes
 */
export function windowResult(
  window: FoldedWindow,
  { stage, fold }: { stage: string; fold: Fold },
  changedBy?: Provenance,
): PipelineEvent {
  const { key, start, end, state, events, local } = window;
  const timestamp = Math.min(end, latestTime) - 1;
  const path = `${stage}:${local ? `${local.date}/${end}` : start}:${key}`;
  const { expected: _, ...origin }: Provenance = changedBy
    ? { ...changedBy, path: changedBy.path === '' ? path : `${changedBy.path}/${path}` }
    : { stream: '', partition: 0, offset: 0, path };
  const fields = fold.result(state).slice(1);
  return new LazilyParsedEvent(
    {
      event_id: '',
      stream: '',
      event_type: 'window',
      entity_id: key,
      timestamp,
      ingested_at: timestamp,
      schema_version: null,
      partition: origin.partition,
      offset: origin.offset,
      data:
        `{"key":${JSON.stringify(key)},"window_start":"${formatTime(start)}","window_end":"${formatTime(end)}",` +
        (local ? `"zone_data":${JSON.stringify(local.zoneData)},` : '') +
        fields,
      metadata: `{"source_events":${events}}`,
    },
    origin,
  );
}
