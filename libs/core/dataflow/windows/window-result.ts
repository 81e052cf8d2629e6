import { formatTime, latestTime, type EpochMicros } from '#json';
import type { Fold, FoldState } from '../folds/compile-fold.js';
import { LazilyParsedEvent } from '../flow/lazily-parsed-event.js';
import type { PipelineEvent, Provenance } from '../flow/pipeline.js';

/** One window of a key: its range of event time (`end` is exclusive), its fold state, and its number of events. */
interface FoldedWindow {
  readonly key: string;
  readonly start: EpochMicros;
  readonly end: EpochMicros;
  readonly state: FoldState;
  readonly events: number;
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
  const { key, start, end, state, events } = window;
  const timestamp = Math.min(end, latestTime) - 1;
  const path = `${stage}:${start}:${key}`;
  const origin = changedBy
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
        `{"key":${JSON.stringify(key)},"window_start":"${formatTime(start)}","window_end":"${formatTime(end)}"` +
        `,${fields}`,
      metadata: `{"source_events":${events}}`,
    },
    origin,
  );
}
