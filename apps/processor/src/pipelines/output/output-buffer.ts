import type { Micros } from '#event';
import type { NewRecord } from '#log';
import type { DeadLetter } from '#store';
import {
  isTooLargeRecord,
  tooLargeRecord,
  type FlowEvent,
  type Outcome,
  type WebhookFormat,
} from '#dataflow';
import { none, type Counts } from './counts.js';
import type { JobLabel } from './emitted-record.js';
import { deadLetterOf, type DeadLetterCause } from './dead-letters.js';
import { eventValue } from './stage-record.js';
import type { OutputDeduplication } from './output-deduplication.js';

/** An event for a stream. */
export interface Emit {
  readonly stream: string;
  /** Pointer of the operator. */
  readonly at: string;
  readonly flow: FlowEvent;
}

/** An event for a webhook. */
export interface WebhookOutput {
  readonly url: string;
  readonly secretRef: string;
  readonly format: WebhookFormat;
  readonly at: string;
  readonly flow: FlowEvent;
}

/** Where what is forwarded goes to. */
export interface StageTopic {
  readonly topic: string;
  readonly partitions: number;
}

/** The record that outcomes come from. */
export interface Cause {
  readonly offset: number;
  /** The partition's, before the record. */
  readonly watermark: Micros;
  /** Among the events that go into the chain because of the record. */
  readonly index: number;
}

/** What a record holds besides its content, about. */
const recordWeight = 300;

/** What a batch of one partition leads to, as far as none of it is written. */
export class OutputBuffer {
  emits: Emit[] = [];
  forwards: NewRecord[] = [];
  deliveries: WebhookOutput[] = [];
  letters: DeadLetter[] = [];
  readonly counts: Counts = { ...none };
  /** About how many characters wait: for the log, for webhooks, and as dead letters. */
  readonly weight = { records: 0, deliveries: 0, letters: 0 };

  constructor(
    private readonly parts: {
      run: JobLabel;
      /** The partition, as the stages know it that it feeds. */
      source: string;
      readonly topicOf: (stage: string) => StageTopic;
      readonly now: () => Micros;
      /** What of it may be there already. */
      readonly before?: OutputDeduplication | undefined;
    },
  ) {}

  get before(): OutputDeduplication | undefined {
    return this.parts.before;
  }

  /** Records that wait to be written. */
  get size(): number {
    return this.emits.length + this.forwards.length;
  }

  /** What waits for the log; nothing does then. */
  takeRecords(): { emits: Emit[]; forwards: NewRecord[] } {
    const { emits, forwards } = this;
    [this.emits, this.forwards, this.weight.records] = [[], [], 0];
    return { emits, forwards };
  }

  /** What waits for webhooks; nothing does then. */
  takeDeliveries(): WebhookOutput[] {
    const { deliveries } = this;
    [this.deliveries, this.weight.deliveries] = [[], 0];
    return deliveries;
  }

  /** What waits as dead letters; nothing does then. */
  takeLetters(): DeadLetter[] {
    const { letters } = this;
    [this.letters, this.weight.letters] = [[], 0];
    return letters;
  }

  /** A dead letter, which whoever adds it has counted. */
  addLetter(letter: DeadLetter): void {
    this.letters.push(letter);
    this.weight.letters += recordWeight + letter.event.length + letter.error.length;
  }

  /** The event is a dead letter. */
  fail(flow: FlowEvent, cause: DeadLetterCause): void {
    this.counts.failed++;
    this.letter(flow, cause);
  }

  /** What came of an event, after what came of the ones before. */
  add(outcome: Outcome, cause: Cause): void {
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
        return;
      case 'late':
        counts.late++;
        this.late(outcome.stream, at, flow);
        return;
      case 'fail':
        this.fail(flow, { at, reason: 'operator_failed', error: `${outcome.pointer}: ${outcome.detail}` });
    }
  }

  private forward(
    { at, stage, key, flow }: Outcome & { kind: 'forward' },
    { offset, watermark, index }: Cause,
  ): void {
    const { topic } = this.parts.topicOf(stage);
    const { source } = this.parts;
    const { path } = flow.origin;
    const value = eventValue({ source, offset, index, path, watermark, flow });
    if (isTooLargeRecord(value))
      return this.fail(flow, { at, reason: 'operator_failed', error: `${at}: ${tooLargeRecord}` });
    this.forwards.push({ topic, key, value });
    this.weight.records += recordWeight + value.length;
  }

  private emit(emit: Emit): void {
    this.counts.emitted++;
    this.emits.push(emit);
    this.weight.records += weightOf(emit.flow);
  }

  private deliver({ url, secretRef, format, at, flow }: Outcome & { kind: 'webhook' }): void {
    this.counts.emitted++;
    this.deliveries.push({ url, secretRef, format, at, flow });
    this.weight.deliveries += weightOf(flow);
  }

  private late(stream: string | undefined, at: string, flow: FlowEvent): void {
    if (stream !== undefined) return this.emit({ stream, at, flow });
    const error = `${at}: it came after its window had closed`;
    this.letter(flow, { at, reason: 'late_event', error });
  }

  private letter(flow: FlowEvent, cause: DeadLetterCause): void {
    const { run, now } = this.parts;
    this.addLetter(deadLetterOf(run, flow, { ...cause, now: now() }));
  }
}

function weightOf({ event: { data, metadata } }: FlowEvent): number {
  return recordWeight + data.length + metadata.length;
}
