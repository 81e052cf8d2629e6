import type { EpochMicros } from '#json';
import type { ProducerRecord } from '#kafka';
import type { DeadLetter } from '#store';
import {
  lateReason,
  isTooLargeRecord,
  recordTooLarge,
  OperatorEventCounter,
  type CountedOperator,
  type PipelineEvent,
  type OperatorOutcome,
  type WebhookFormat,
} from '#features/pipelines/computation';
import type { JobAndOperatorEventCounts, EventOutcomeCounts } from './counts.js';
import { isTooLarge, tooLarge, type EmittedRecord, type JobIdentity } from './emitted-record.js';
import { deadLetterOf, type DeadLetterCause } from './dead-letters.js';
import { encodeRepartitionedEvent } from './stage-record.js';
import type { OutputDeduplication } from './output-deduplication.js';

/** An event that a job emits to a stream. */
export interface BufferedStreamEvent {
  readonly stream: string;
  /** JSON pointer of the operator that emits the event. */
  readonly at: string;
  readonly flow: PipelineEvent;
  readonly record?: undefined;
}

/**
 * An event that a job emits to a stream, as a record that needs no further check. The record takes less memory than the
 * event, and the garbage collector has one object to copy instead of a dozen.
 */
export interface EncodedStreamEvent {
  readonly stream: string;
  readonly record: EmittedRecord;
}

/** An event that a job sends to a webhook. */
export interface BufferedWebhookEvent {
  readonly url: string;
  readonly secretRef: string;
  readonly format: WebhookFormat;
  readonly at: string;
  readonly flow: PipelineEvent;
}

/** The internal topic of a keyed stage, into which upstream stages repartition events. */
export interface StageTopic {
  readonly topic: string;
  readonly partitions: number;
}

/** The input record whose processing produces outputs: its offset, its watermark, and the index of the input event. */
export interface InputRecordContext {
  readonly offset: number;
  /** Watermark of the partition before the input record was read. */
  readonly watermark: EpochMicros;
  /** Index of the input event among all events that enter the chain because of the same record. */
  readonly index: number;
}

/** Approximate size of a record in characters, without its content. */
const recordWeight = 300;

/** The outputs of one batch of one partition that are not written yet, and the event counts of the batch. */
export class OutputBuffer {
  emits: (BufferedStreamEvent | EncodedStreamEvent)[] = [];
  forwards: ProducerRecord[] = [];
  deliveries: BufferedWebhookEvent[] = [];
  letters: DeadLetter[] = [];
  readonly counts: EventOutcomeCounts = { processed: 0, emitted: 0, dropped: 0, late: 0, failed: 0 };
  /** Counts the events that enter and leave each operator in this batch. */
  readonly steps: OperatorEventCounter;
  /** Approximate size, in characters, of the waiting records, webhook deliveries and dead letters. */
  readonly weight = { records: 0, deliveries: 0, letters: 0 };

  constructor(
    private readonly dependencies: {
      run: JobIdentity;
      /** The operators of the definition with which the batch is computed. */
      readonly steps: readonly CountedOperator[];
      /** Name of the partition that is processed; the repartitioned records contain this name. */
      source: string;
      readonly topicOf: (stage: string) => StageTopic;
      /**
       * Encodes an emitted event at once. Returns undefined if the event must be kept until it is written, because its
       * stream does not exist yet or its event type has a schema.
       */
      readonly encode: (emit: BufferedStreamEvent) => EmittedRecord | undefined;
      readonly now: () => EpochMicros;
      /** Finds emitted events that the previous owner of the partition may have written already. */
      readonly before?: OutputDeduplication | undefined;
    },
  ) {
    this.steps = new OperatorEventCounter(dependencies.steps);
  }

  get before(): OutputDeduplication | undefined {
    return this.dependencies.before;
  }

  /** The event counts of the batch so far. The counts are final when all outputs of the batch are written. */
  get totals(): JobAndOperatorEventCounts {
    return { ...this.counts, steps: this.steps.counts() };
  }

  /** Number of records that wait to be written to Kafka. */
  get size(): number {
    return this.emits.length + this.forwards.length;
  }

  /** Removes and returns the records that wait to be written to Kafka. */
  takeRecords(): Pick<OutputBuffer, 'emits' | 'forwards'> {
    const { emits, forwards } = this;
    [this.emits, this.forwards, this.weight.records] = [[], [], 0];
    return { emits, forwards };
  }

  /** Removes and returns the events that wait to be sent to webhooks. */
  takeDeliveries(): BufferedWebhookEvent[] {
    const { deliveries } = this;
    [this.deliveries, this.weight.deliveries] = [[], 0];
    return deliveries;
  }

  /** Removes and returns the dead letters that wait to be saved. */
  takeLetters(): DeadLetter[] {
    const { letters } = this;
    [this.letters, this.weight.letters] = [[], 0];
    return letters;
  }

  /** Adds a dead letter to the buffer. The caller counts the failed event. */
  addLetter(letter: DeadLetter): void {
    this.letters.push(letter);
    this.weight.letters += recordWeight + letter.event.length + letter.error.length;
  }

  /** Counts a failed event of an operator. @param at JSON pointer to the operator */
  countFailed(at: string): void {
    this.counts.failed++;
    this.steps.end(at, 'failed');
  }

  /** Counts an event as failed, and adds the event's dead letter to the buffer. */
  fail(flow: PipelineEvent, cause: DeadLetterCause): void {
    this.countFailed(cause.at);
    this.deadLetter(flow, cause);
  }

  /** Adds an outcome of the chain to the buffer. The caller adds outcomes in the order of the input events. */
  add(outcome: OperatorOutcome, cause: InputRecordContext): void {
    const { counts } = this;
    const { at, flow } = outcome;
    switch (outcome.kind) {
      case 'emit':
        this.emit({ stream: outcome.stream, at, flow });
        return;
      case 'webhook':
        this.deliver(outcome);
        return;
      case 'forward':
        this.forward(outcome, cause);
        return;
      case 'drop':
        counts.dropped++;
        this.steps.end(at, 'dropped');
        return;
      case 'late':
        counts.late++;
        this.steps.end(at, 'late');
        this.late(outcome.stream, at, flow);
        return;
      case 'fail':
        this.fail(flow, { at, reason: 'operator_failed', error: `${outcome.pointer}: ${outcome.detail}` });
    }
  }

  private forward(
    { at, stage, key, flow, values, side }: OperatorOutcome & { kind: 'forward' },
    { offset, watermark, index }: InputRecordContext,
  ): void {
    const { topic } = this.dependencies.topicOf(stage);
    const { source } = this.dependencies;
    const { path } = flow.origin;
    const repartitioned = { source, offset, index, path, watermark, flow, side };
    let value = encodeRepartitionedEvent({ ...repartitioned, values });
    if (values && isTooLargeRecord(value)) value = encodeRepartitionedEvent(repartitioned);
    if (isTooLargeRecord(value))
      return this.fail(flow, { at, reason: 'operator_failed', error: `${at}: ${recordTooLarge}` });
    this.forwards.push({ topic, key, value });
    this.weight.records += recordWeight + value.length;
  }

  private emit(emit: BufferedStreamEvent): void {
    const { stream, at, flow } = emit;
    const record = this.dependencies.encode(emit);
    if (record && isTooLarge(record))
      return this.fail(flow, { at, reason: 'schema_violation', error: `${at}: ${tooLarge}`, stream });
    this.counts.emitted++;
    this.emits.push(record ? { stream, record } : emit);
    this.weight.records += record ? recordWeight + record.value.length : weightOf(flow);
  }

  private deliver({ url, secretRef, format, at, flow }: OperatorOutcome & { kind: 'webhook' }): void {
    this.counts.emitted++;
    this.deliveries.push({ url, secretRef, format, at, flow });
    this.weight.deliveries += weightOf(flow);
  }

  private late(stream: string | undefined, at: string, flow: PipelineEvent): void {
    if (stream !== undefined) return this.emit({ stream, at, flow });
    const error = `${at}: the event arrived too late: ${lateReason(at)}`;
    this.deadLetter(flow, { at, reason: 'late_event', error });
  }

  private deadLetter(flow: PipelineEvent, cause: DeadLetterCause): void {
    const { run, now } = this.dependencies;
    this.addLetter(deadLetterOf(run, flow, { ...cause, now: now() }));
  }
}

function weightOf({ event: { data, metadata } }: PipelineEvent): number {
  return recordWeight + data.length + metadata.length;
}
