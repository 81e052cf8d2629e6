/** What became of events, since the job began or in one batch. */
export interface Counts {
  /** Read by the stage of the sources, and for the pipeline. */
  processed: number;
  /** To streams and to webhooks. */
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
}

export const none: Readonly<Counts> = { processed: 0, emitted: 0, dropped: 0, late: 0, failed: 0 };

export function sum(a: Readonly<Counts>, b: Readonly<Counts>): Counts {
  return {
    processed: a.processed + b.processed,
    emitted: a.emitted + b.emitted,
    dropped: a.dropped + b.dropped,
    late: a.late + b.late,
    failed: a.failed + b.failed,
  };
}
