import { BackgroundLoop } from '#engine';
import type { EpochMicros } from '#event';
import { deliveryStage } from '#dataflow';
import { isRetryableStoreError, type KeyedStateStore, type PartitionCheckpoint } from '#store';
import type { Logger } from '#telemetry';
import type { DeliveryAttempt } from '#webhooks';

interface DeliveryOutagesOptions {
  writer: Pick<KeyedStateStore, 'save'>;
  /** Returns the id of a pipeline's current job; undefined if there is no such pipeline. */
  jobOf(pipeline: string): string | undefined;
  logger: Logger;
  onFailure(error: unknown): void;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
}

interface Outage {
  since: EpochMicros;
  /** Why the last attempt failed; undefined after the receiver has accepted a delivery. */
  answer: string | undefined;
  at: EpochMicros;
}

/** Milliseconds that the writer waits for more attempts, and between two tries to write. */
const writeMs = 1_000;
const maxAnswerCharacters = 300;

/**
 * Stores since when a pipeline repeats its deliveries to a webhook, and the last answer, for the gateway: while deliveries
 * are repeated, there is no checkpoint. Pipelines whose deliveries are accepted cost no write.
 */
export class DeliveryOutages {
  /** By pipeline; at most one entry for each. */
  private readonly outages = new Map<string, Outage>();
  /** Pipelines whose outage has changed since it was written. */
  private readonly changed = new Set<string>();
  private readonly loop: BackgroundLoop;

  constructor(private readonly options: DeliveryOutagesOptions) {
    this.loop = new BackgroundLoop({
      ...{ logger: options.logger, retryMs: writeMs },
      onFailure: (error) => options.onFailure(error),
      run: () => this.write(),
      mayReturn: isRetryableStoreError,
      complaint: 'an outage of a webhook could not be stored; retrying later',
    });
  }

  attempted({ sender, outcome, answer }: DeliveryAttempt): void {
    const known = this.outages.get(sender);
    // An event that its receiver rejects at once is a dead letter, and is not repeated.
    if (outcome !== 'repeated' && known?.answer === undefined) return;
    const at = this.options.now() * 1000;
    const since = known?.answer === undefined ? at : known.since;
    this.outages.set(sender, { since, at, answer: outcome === 'delivered' ? undefined : answer });
    this.changed.add(sender);
    this.loop.soon(writeMs);
  }

  async stop(): Promise<void> {
    await this.loop.stop();
  }

  private async write(): Promise<undefined> {
    const pipelines = [...this.changed];
    this.changed.clear();
    const rows = pipelines.flatMap((pipeline) => this.rowOf(pipeline) ?? []);
    try {
      if (rows.length > 0) await this.options.writer.save([], rows);
    } catch (error) {
      for (const pipeline of pipelines) this.changed.add(pipeline);
      throw error;
    }
    return undefined;
  }

  private rowOf(pipeline: string): PartitionCheckpoint | undefined {
    const outage = this.outages.get(pipeline);
    const owner = this.options.jobOf(pipeline);
    if (!owner || outage?.answer === undefined) this.outages.delete(pipeline);
    if (!owner || !outage) return undefined;
    const { since, answer, at } = outage;
    return {
      ...{ owner, stage: deliveryStage, stream: '', partition: 0, next: at, watermark: null, updated_at: at },
      ...{ processed: 0, emitted: 0, dropped: 0, late: 0, failed: 0 },
      state:
        answer === undefined ? '' : JSON.stringify({ since, answer: answer.slice(0, maxAnswerCharacters) }),
    };
  }
}
