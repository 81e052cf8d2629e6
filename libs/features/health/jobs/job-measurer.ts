import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { pipelineTotals } from '#features/pipelines';
import { pipelineStreams } from '#features/pipelines/definition';
import { projectionStreams } from '#features/projections/definition';
import { LIVE_STORE } from '#gateway-kit';
import type { Definitions } from '#registry';
import type { PartitionCheckpoint, Store } from '#store';
import { JobHistory, type MeasuredJob } from './job-history.js';

/** A job, and the id of the generation or run whose checkpoints and consumer group are its own. */
interface RunningJob extends MeasuredJob {
  owner: string;
}

/** Lags by the ids of generations and runs. */
type Lags = ReadonlyMap<string, { lag: number; seconds: number }>;

/** Limit of owners in one query for checkpoints. */
const ownersPerQuery = 50;

/** Milliseconds between two readings of the totals. Each of the shortest intervals, of 30 seconds, has at least one. */
const totalsIntervalMs = 25_000;

/** Adds the totals and the lags of all jobs to their history. */
@Injectable()
export class JobMeasurer {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'projections' | 'pipelines'>,
    @Inject(LIVE_STORE) private readonly store: Pick<Store, 'projections' | 'pipelines'>,
    private readonly history: JobHistory,
  ) {}

  /** Reads the totals every 25 seconds. Returns a function that stops it. */
  follow(): () => void {
    let running = false;
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      // The health check of the store reports a store that does not answer.
      this.measureTotals()
        .catch(() => undefined)
        .finally(() => (running = false));
    }, totalsIntervalMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Adds measured lags to the history. */
  addLags(lags: Lags): void {
    for (const job of [...this.projections(), ...this.pipelines()]) {
      const found = lags.get(job.owner);
      if (found) this.history.addLag(job, { lag_events: found.lag, lag_seconds: found.seconds });
    }
  }

  /** Reads the totals of all jobs from their checkpoints, and forgets the jobs that have been deleted. */
  async measureTotals(): Promise<void> {
    const [projections, pipelines] = [this.projections(), this.pipelines()];
    this.history.keepOnly([...projections, ...pipelines, materializerJob]);
    await this.addTotals(projections, this.store.projections, sumOf);
    await this.addTotals(pipelines, this.store.pipelines, pipelineTotals);
  }

  private async addTotals(
    jobs: readonly RunningJob[],
    store: Pick<Store['projections'], 'progress'>,
    totalsOf: (rows: readonly PartitionCheckpoint[]) => { processed: number; failed: number },
  ): Promise<void> {
    for (let first = 0; first < jobs.length; first += ownersPerQuery) {
      const some = jobs.slice(first, first + ownersPerQuery);
      const rows = await store.progress(some.map(({ owner }) => owner));
      for (const job of some) {
        const { processed, failed } = totalsOf(rows.filter(({ owner }) => owner === job.owner));
        this.history.addTotals(job, { owner: job.owner, processed, failed });
      }
    }
  }

  private projections(): RunningJob[] {
    return this.definitions.projections.all().flatMap((definition) => {
      const generation = definition.serving ?? definition.building;
      const job = { job: `projection:${definition.name}`, streams: projectionStreams(definition) };
      return generation ? [{ ...job, owner: generation.id }] : [];
    });
  }

  private pipelines(): RunningJob[] {
    const { pipelines, projections } = this.definitions;
    return pipelines.all().map(({ name, spec, run }) => {
      const { streams } = pipelineStreams(spec, projections);
      return { job: `pipeline:${name}`, streams: [...streams], owner: run.id };
    });
  }
}

/** The materializer, whose history counts all streams. */
export const materializerJob: MeasuredJob = { job: 'materializer', streams: [] };

function sumOf(rows: readonly PartitionCheckpoint[]): { processed: number; failed: number } {
  const sum = (of: 'processed' | 'failed') => rows.reduce((all, row) => all + row[of], 0);
  return { processed: sum('processed'), failed: sum('failed') };
}
