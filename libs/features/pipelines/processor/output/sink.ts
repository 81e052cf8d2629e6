import { setTimeout as sleep } from 'node:timers/promises';
import { FencedError, type KafkaOrClickHouseRetrier } from '#engine';
import { cloudEventJson, type TopicAndGroupNames } from '#event';
import { formatTime, type EpochMicros } from '#json';
import type { WebhookDeliverer, PendingWebhookDelivery } from '#features/webhooks';
import { ProducerBufferFullError, UnknownTopicError, type ProducerRecord, type Producer } from '#kafka';
import {
  emittedId,
  emittedMetadata,
  emittedRecord,
  isTooLarge,
  tooLarge,
  type EmittedRecord,
  type JobIdentity,
} from './emitted-record.js';
import type { EmittedEventValidator } from './emitted-event-validator.js';
import type {
  BufferedStreamEvent,
  BufferedWebhookEvent,
  EncodedStreamEvent,
  OutputBuffer,
} from './output-buffer.js';
import type { TargetStreamCreator } from './target-stream-creator.js';
import type { OutputDeduplication } from './output-deduplication.js';

interface SinkDependencies {
  producer: Pick<Producer, 'append'>;
  topics: TopicAndGroupNames;
  streams: TargetStreamCreator;
  schemas: EmittedEventValidator;
  webhooks: Pick<WebhookDeliverer, 'deliver'>;
  retry: KafkaOrClickHouseRetrier;
  now: () => EpochMicros;
}

/** Milliseconds before a write is retried, if a topic does not exist or the Kafka producer is overloaded. */
const retryMs = 200;

/** Writes the outputs of batches to streams, internal topics and webhooks. */
export class Sink {
  constructor(private readonly dependencies: SinkDependencies) {}

  /**
   * Writes all waiting records to Kafka, and then sends the waiting webhook deliveries. Resolves when all outputs are
   * acknowledged. If the call rejects, some outputs may have been written; a repeated call writes them again with the
   * same ids.
   * @throws the signal's reason when it is aborted
   */
  async write(output: OutputBuffer, run: JobIdentity, signal: AbortSignal): Promise<void> {
    await this.append(output, run, signal);
    await this.deliver(output, run, signal);
  }

  /**
   * Writes all waiting records to Kafka, but sends no webhooks. The caller calls this method during a batch to limit
   * memory.
   */
  async append(output: OutputBuffer, run: JobIdentity, signal: AbortSignal): Promise<void> {
    if (output.size === 0) return;
    const { emits: all, forwards } = output.takeRecords();
    const emits = await this.unwritten(all, run, { before: output.before, signal });
    const attempt = { run, output, signal, rejected: new Set<BufferedStreamEvent>() };
    for (;;) {
      signal.throwIfAborted();
      try {
        const records = [...(await this.recordsOf(emits, attempt)), ...forwards];
        if (records.length > 0)
          await this.dependencies.retry.run('log', signal, () => this.dependencies.producer.append(records));
        return;
      } catch (error) {
        // If the stream was deleted a moment ago, the next attempt creates the stream again. If the Kafka producer is
        // overloaded, it accepts records again after a moment.
        if (!(error instanceof UnknownTopicError || error instanceof ProducerBufferFullError)) throw error;
      }
      await sleep(retryMs, undefined, { signal });
    }
  }

  /**
   * Encodes an emitted event whose target stream exists and whose event type has no schema. Returns undefined for any
   * other event: `append` checks it.
   */
  encode(emit: BufferedStreamEvent, run: JobIdentity): EmittedRecord | undefined {
    if (!this.isKnown(emit)) return undefined;
    return emittedRecord(emit, run, { schemaVersion: null, now: this.dependencies.now() });
  }

  /** Resolves with the emitted events, without those that are known to be in their target streams already. */
  private async unwritten(
    emits: readonly WaitingStreamEvent[],
    run: JobIdentity,
    { before, signal }: { before: OutputDeduplication | undefined; signal: AbortSignal },
  ): Promise<readonly WaitingStreamEvent[]> {
    if (!before) return emits;
    const idOf = (emit: WaitingStreamEvent): string =>
      emit.record ? emit.record.id : emittedId(run, emit.flow.origin, emit.at);
    const missing: WaitingStreamEvent[] = [];
    for (const stream of new Set(emits.map((emit) => emit.stream))) {
      const some = emits.filter((emit) => emit.stream === stream);
      const written = await before.among(stream, some.map(idOf), signal);
      missing.push(...some.filter((emit) => !written.has(idOf(emit))));
    }
    return missing;
  }

  private async deliver(output: OutputBuffer, run: JobIdentity, signal: AbortSignal): Promise<void> {
    const deliveries = output.takeDeliveries();
    if (deliveries.length === 0) return;
    const failures = await this.dependencies.webhooks.deliver(
      deliveries.map((delivery) => this.deliveryOf(delivery, run)),
      signal,
    );
    failures.forEach((error, i) => {
      if (error === undefined) return;
      const { at, flow } = deliveries[i]!;
      output.counts.emitted--;
      output.fail(flow, { at, reason: 'webhook_failed', error: `${at}: ${error}` });
    });
  }

  private deliveryOf(output: BufferedWebhookEvent, run: JobIdentity): PendingWebhookDelivery {
    const { url, secretRef, format } = output;
    const { id, value } = emittedRecord(output, run, { schemaVersion: null, now: this.dependencies.now() });
    const isCloudEvent = format === 'cloudevents';
    return {
      ...{ id, url, secretRef, sender: run.name, job: run.id },
      contentType: isCloudEvent ? 'application/cloudevents+json' : 'application/json',
      body: isCloudEvent ? cloudEvent(output, run, id) : value,
    };
  }

  private async recordsOf(
    emits: readonly WaitingStreamEvent[],
    attempt: SinkWriteAttempt,
  ): Promise<ProducerRecord[]> {
    const records: ProducerRecord[] = [];
    for (const emit of emits) {
      if (emit.record) {
        if (!this.dependencies.streams.isThere(emit.stream)) await this.recreate(emit.stream, attempt);
        this.assertWithoutSchema(emit);
        records.push(this.recordIn(emit.stream, emit.record));
        continue;
      }
      if (attempt.rejected.has(emit)) continue;
      // An event whose target stream exists and whose event type has no schema is encoded synchronously, because
      // `await` is slower.
      const record = this.isKnown(emit) ? this.made(emit, null, attempt) : await this.recordOf(emit, attempt);
      if (typeof record !== 'string') records.push(record);
    }
    return records;
  }

  /**
   * Creates a stream again that was deleted after events to it had been encoded.
   * @throws FencedError when the stream cannot be created: the batch is then computed again from the last checkpoint,
   *   and the events become dead letters
   */
  private async recreate(stream: string, { signal }: SinkWriteAttempt): Promise<void> {
    const { streams, retry } = this.dependencies;
    const reason = await retry.run('log', signal, () => streams.ensure(stream));
    if (reason !== undefined)
      throw new FencedError(`the stream ${stream} was deleted and cannot be created: ${reason}`);
  }

  /**
   * @throws FencedError if the event type got a schema after the event had been encoded: the batch is then computed again
   *   from the last checkpoint, and the event is validated
   */
  private assertWithoutSchema({ stream, record }: EncodedStreamEvent): void {
    if (this.dependencies.schemas.has(stream, record.eventType))
      throw new FencedError(`the event type ${record.eventType} of the stream ${stream} has a schema now`);
  }

  /** Resolves with the record of an emitted event, or with the reason why the event became a dead letter. */
  private async recordOf(
    emit: BufferedStreamEvent,
    attempt: SinkWriteAttempt,
  ): Promise<ProducerRecord | string> {
    const { streams, schemas, retry } = this.dependencies;
    const { stream } = emit;
    if (!streams.isThere(stream)) {
      const reason = await retry.run('log', attempt.signal, () => streams.ensure(stream));
      if (reason !== undefined) return reject(emit, reason, attempt);
    }
    const { event } = emit.flow;
    const checked = await schemas.check(stream, event.event_type, event.data);
    if (checked.error !== undefined) return reject(emit, checked.error, attempt);
    return this.made(emit, checked.version, attempt);
  }

  /** Returns whether the target stream exists and the event type has no schema. */
  private isKnown({ stream, flow }: BufferedStreamEvent): boolean {
    const { streams, schemas } = this.dependencies;
    return streams.isThere(stream) && !schemas.has(stream, flow.event.event_type);
  }

  /**
   * Returns the record of an emitted event, or the reason why the event became a dead letter.
   * @throws UnknownTopicError when the target stream was deleted a moment ago
   */
  private made(
    emit: BufferedStreamEvent,
    schemaVersion: number | null,
    attempt: SinkWriteAttempt,
  ): ProducerRecord | string {
    const record = emittedRecord(emit, attempt.run, { schemaVersion, now: this.dependencies.now() });
    if (isTooLarge(record)) return reject(emit, tooLarge, attempt);
    return this.recordIn(emit.stream, record);
  }

  /** @throws UnknownTopicError when the target stream was deleted a moment ago */
  private recordIn(stream: string, { key, value }: EmittedRecord): ProducerRecord {
    const { streams, topics } = this.dependencies;
    return { topic: topics.ofStream(streams.idOf(stream)), key, value };
  }
}

/** Returns the event as CloudEvents JSON. The member `source` names the pipeline. */
function cloudEvent({ flow }: BufferedWebhookEvent, run: JobIdentity, id: string): string {
  const { event } = flow;
  const metadata = emittedMetadata(flow, run);
  const content = { ...event, event_id: id, timestamp: formatTime(event.timestamp), metadata };
  return cloudEventJson(content, `/api/v1/pipelines/${run.name}`);
}

type WaitingStreamEvent = BufferedStreamEvent | EncodedStreamEvent;

interface SinkWriteAttempt {
  run: JobIdentity;
  output: OutputBuffer;
  signal: AbortSignal;
  /** Emitted events that have become dead letters, in this or an earlier attempt to write the batch. */
  rejected: Set<BufferedStreamEvent>;
}

/** Turns an emitted event into a dead letter, and returns the reason. */
function reject(emit: BufferedStreamEvent, error: string, { output, rejected }: SinkWriteAttempt): string {
  const { at, flow, stream } = emit;
  rejected.add(emit);
  output.counts.emitted--;
  output.fail(flow, { at, reason: 'schema_violation', error: `${at}: ${error}`, stream });
  return error;
}
