import { randomInt } from 'node:crypto';
import { BackgroundLoop } from '#engine';
import type { EpochMicros } from '#json';
import { deliveryStage } from '#features/pipelines/computation';
import { initialProgress } from '#processor-kit';
import { isRetryableStoreError, type KeyedStateStore, type PartitionCheckpoint } from '#store';
import type { Logger } from '#telemetry';
import type { DeliveryAttempt } from '#features/webhooks';

interface DeliveryOutagesOptions {
  writer: Pick<KeyedStateStore, 'save'>;
  /** Returns whether a pipeline has this job now. */
  isCurrent(job: string): boolean;
  logger: Logger;
  onFailure(error: unknown): void;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
}

interface Outage {
  /** Time of the first failed attempt after an accepted one. */
  since: EpochMicros;
  /** Why the last attempt failed. */
  answer: string;
  /** Time of the last failed attempt. */
  at: EpochMicros;
}

/** Milliseconds that the writer waits for more attempts, and between two tries to write. */
const writeMs = 1_000;
/** Milliseconds without an attempt after which an outage is forgotten: attempts are less than a minute apart. */
const outageAgeMs = 120_000;
const maxAnswerCharacters = 300;
/** Bounds the rows of a job. Of two processors with the same row, the one that wrote last is seen. */
const rowsOfJob = 256;

/**
 * Stores since when a job repeats its deliveries to a webhook, and the last answer, for the gateway: while deliveries
 * are repeated, there is no checkpoint. Of several receivers, the one that is down for the longest time is stored. Jobs
 * whose deliveries are accepted cost no write.
 */
export class DeliveryOutages {
  /** By job and URL of the receiver. Outages of former jobs, and those without attempts, are removed. */
  private readonly outages = new Map<string, Map<string, Outage>>();
  /** Jobs whose outages have changed since they were written. */
  private readonly changed = new Set<string>();
  private readonly loop: BackgroundLoop;
  /** The row of this processor, stored as the partition: each of several processors has outages of its own. */
  private readonly row = randomInt(rowsOfJob);

  constructor(private readonly options: DeliveryOutagesOptions) {
    this.loop = new BackgroundLoop({
      ...{ logger: options.logger, retryMs: writeMs },
      onFailure: (error) => options.onFailure(error),
      run: () => this.write(),
      mayReturn: isRetryableStoreError,
      complaint: 'an outage of a webhook could not be stored; retrying later',
    });
  }

  attempted({ job, url, outcome, answer = '' }: DeliveryAttempt): void {
    // An event that is given up becomes a dead letter, and is not repeated.
    if (outcome === 'given_up') return;
    const outages = this.outages.get(job) ?? new Map<string, Outage>();
    if (outcome === 'repeated') {
      const at = this.options.now() * 1000;
      this.outages.set(job, outages.set(url, { since: outages.get(url)?.since ?? at, at, answer }));
    } else if (!outages.delete(url)) return;
    this.changed.add(job);
    this.loop.soon(writeMs);
  }

  async stop(): Promise<void> {
    await this.loop.stop();
  }

  private async write(): Promise<number | undefined> {
    this.forget();
    const jobs = [...this.changed].filter((job) => this.options.isCurrent(job));
    this.changed.clear();
    const rows = jobs.map((job) => this.rowOf(job));
    try {
      if (rows.length > 0) await this.options.writer.save([], rows);
    } catch (error) {
      for (const job of jobs) this.changed.add(job);
      throw error;
    }
    return this.outages.size > 0 ? outageAgeMs : undefined;
  }

  /** Removes the outages of former jobs, and those of receivers to which nothing was posted for a while. */
  private forget(): void {
    const oldest = (this.options.now() - outageAgeMs) * 1000;
    for (const [job, outages] of this.outages) {
      for (const [url, { at }] of outages) if (at <= oldest) outages.delete(url);
      if (outages.size === 0 || !this.options.isCurrent(job)) this.outages.delete(job);
    }
  }

  private rowOf(owner: string): PartitionCheckpoint {
    const at = this.options.now() * 1000;
    const [longest] = [...(this.outages.get(owner)?.values() ?? [])].sort((a, b) => a.since - b.since);
    const answer = longest?.answer.slice(0, maxAnswerCharacters);
    return {
      ...{ ...initialProgress, owner, stage: deliveryStage, stream: '', partition: this.row },
      next: at,
      updated_at: at,
      state: longest ? JSON.stringify({ since: longest.since, answer }) : '',
    };
  }
}
