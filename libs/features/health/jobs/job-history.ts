import { Injectable } from '@nestjs/common';
import { permitsStream, type StreamAccess } from '#api';
import { SampleRing, type JobSamples, type RingSize } from './sample-ring.js';

/** The spans of time that the history of a job covers. */
export const historySpans = {
  '1h': { intervalSeconds: 30, samples: 120 },
  '1d': { intervalSeconds: 300, samples: 288 },
  '7d': { intervalSeconds: 3600, samples: 168 },
} as const satisfies Record<string, RingSize>;

/** A span of time that the history of a job covers: an hour, a day or a week. */
export type HistorySpan = keyof typeof historySpans;

/** The names of the spans, the shortest first. */
export const historySpanNames = Object.keys(historySpans) as HistorySpan[];

/** A job whose work is measured. */
export interface MeasuredJob {
  /** `materializer`, `projection:<name>` or `pipeline:<name>`. */
  job: string;
  /** Names of all streams of which the history of the job can reveal something. */
  streams: readonly string[];
}

/** The totals of a job since it started. */
export interface JobTotals {
  /** Id of the generation or of the run. Another one counts from 0 again. */
  owner: string;
  processed: number;
  failed: number;
}

interface KnownJob {
  rings: Record<HistorySpan, SampleRing>;
  /** The streams of the job since its history began, also those of former definitions. */
  streams: Set<string>;
  totals?: JobTotals & { at: number };
}

/** Limit of jobs: 200 projections, 200 pipelines and the materializer. A job takes 24 KB. */
const mostJobs = 401;

/** Limit of streams of one job. When definitions have named more, the history of the job begins again. */
const mostStreams = 1000;

/** Keeps the rates and the lag of all jobs over the last hour, day and week in memory. It measures nothing itself. */
@Injectable()
export class JobHistory {
  private readonly jobs = new Map<string, KnownJob>();

  /** Adds a lag that was measured at the time `now`, in milliseconds since 1970. */
  addLag(job: MeasuredJob, lag: { lag_events: number; lag_seconds: number }, now = Date.now()): void {
    const known = this.known(job);
    if (known) for (const ring of Object.values(known.rings)) ring.addLag(lag, now);
  }

  /** Adds what a job has processed since its last totals. The first totals of an owner are only remembered. */
  addTotals(job: MeasuredJob, totals: JobTotals, now = Date.now()): void {
    const known = this.known(job);
    if (!known) return;
    const before = known.totals;
    known.totals = { ...totals, at: now };
    if (before?.owner !== totals.owner || now <= before.at) return;
    const counts = {
      processed: Math.max(0, totals.processed - before.processed),
      failed: Math.max(0, totals.failed - before.failed),
      seconds: (now - before.at) / 1000,
    };
    for (const ring of Object.values(known.rings)) ring.addCounts(counts, now);
  }

  /** Forgets all jobs but these. */
  keepOnly(jobs: readonly MeasuredJob[]): void {
    const names = new Set(jobs.map(({ job }) => job));
    for (const job of this.jobs.keys()) if (!names.has(job)) this.jobs.delete(job);
  }

  /**
   * Returns the samples of a job up to the time `now`, in milliseconds since 1970. They are empty for a job that has read or written a stream that the caller may not see, also by a former definition.
   */
  samples(
    job: string,
    { span, access, now = Date.now() }: { span: HistorySpan; access: StreamAccess; now?: number },
  ): JobSamples {
    const known = this.jobs.get(job);
    const isVisible = known && [...known.streams].every((stream) => permitsStream(access, stream));
    const ring = isVisible ? known.rings[span] : new SampleRing(historySpans[span]);
    return ring.samples(now);
  }

  private known({ job, streams }: MeasuredJob): KnownJob | undefined {
    let known = this.jobs.get(job);
    if (!known && this.jobs.size >= mostJobs) return undefined;
    const added = streams.filter((stream) => !known?.streams.has(stream)).length;
    if (!known || known.streams.size + added > mostStreams) {
      known = { rings: emptyRings(), streams: new Set() };
      this.jobs.set(job, known);
    }
    for (const stream of streams) known.streams.add(stream);
    return known;
  }
}

function emptyRings(): Record<HistorySpan, SampleRing> {
  return {
    '1h': new SampleRing(historySpans['1h']),
    '1d': new SampleRing(historySpans['1d']),
    '7d': new SampleRing(historySpans['7d']),
  };
}
