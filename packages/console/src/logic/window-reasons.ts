import type { PipelineDetail } from '#client';
import { tableTime } from './format.js';

/** What a pipeline shows of itself. */
export interface PipelineProgress extends Pick<
  PipelineDetail,
  'lag' | 'watermark' | 'dropped' | 'failed' | 'late'
> {
  status: string;
  failure?: string | null;
  source: { idle_after?: string | null };
}

/** A reason why a window is open or has no result, as it applies to this pipeline now. */
interface PendingWindowReason {
  /** Whether the reason applies now. */
  applies: boolean;
  shows: string;
  because: string;
}

/** Returns the table of the documentation, "My window does not close", computed for a pipeline. */
export function windowReasons(pipeline: PipelineProgress): PendingWindowReason[] {
  const { status, failure, lag, watermark, dropped, failed, late, source } = pipeline;
  const idle = source.idle_after ?? '30s';
  const running = status === 'running';
  return [
    {
      applies: !running,
      shows: `The status is ${status}.`,
      because: failure ?? 'A paused pipeline closes no window. No event is lost.',
    },
    {
      applies: running && lag > 0,
      shows: lag === 1 ? '1 record is unread.' : `${lag} records are unread.`,
      because:
        'The pipeline has not read all events. A partition is not idle before it has been read to its end.',
    },
    {
      applies: watermark === null,
      shows: 'There is no watermark.',
      because: `No event has arrived, or a partition without events is not idle yet: that takes ${idle}.`,
    },
    {
      applies: running && lag === 0 && watermark !== null,
      shows: `The watermark is ${tableTime(watermark ?? '')}.`,
      because:
        'A window whose end plus lateness is after this time waits for newer events in the slowest partition, and so does ' +
        'an event of an expect or a join whose interval plus lateness is not over. Or they wait ' +
        `until that partition has been idle for ${idle}.`,
    },
    {
      applies: dropped + failed + late > 0,
      shows: `${dropped} events were dropped, ${failed} failed, ${late} were late.`,
      because: 'Such events have no result.',
    },
  ];
}
