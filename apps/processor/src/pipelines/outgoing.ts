import type { Micros } from '#contracts';
import type { NewRecord } from '#log';
import type { DeadLetter } from '#store';
import type { FlowEvent, Outcome } from '#streaming';
import { none, type Counts } from './counts.js';
import type { RunLabel } from './emitted-record.js';
import { letterOf, type LetterCause } from './letters.js';
import { eventValue } from './stage-record.js';

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
}

/** What a stretch of one partition leads to, before any of it is written. */
export class Outgoing {
  emits: Emit[] = [];
  forwards: NewRecord[] = [];
  deliveries: WebhookOutput[] = [];
  readonly letters: DeadLetter[] = [];
  readonly counts: Counts = { ...none };
  private offset = -1;
  private index = 0;

  constructor(
    private readonly parts: {
      run: RunLabel;
      /** The partition, as the stages know it that it feeds. */
      source: string;
      readonly topicOf: (stage: string) => StageTopic;
      readonly now: () => Micros;
    },
  ) {}

  /** Records that wait to be written. */
  get size(): number {
    return this.emits.length + this.forwards.length;
  }

  /** A dead letter, which whoever adds it has counted. */
  addLetter(letter: DeadLetter): void {
    this.letters.push(letter);
  }

  /** All that came of one event, after what came of the ones before. */
  add(outcomes: readonly Outcome[], cause: Cause): void {
    for (const outcome of outcomes) this.addOne(outcome, cause);
  }

  /** The event is a dead letter. */
  fail(flow: FlowEvent, cause: LetterCause): void {
    this.counts.failed++;
    this.letter(flow, cause);
  }

  private addOne(outcome: Outcome, cause: Cause): void {
    const { counts } = this;
    const { at, flow } = outcome;
    switch (outcome.kind) {
      case 'emit':
        counts.emitted++;
        this.emits.push({ stream: outcome.stream, at, flow });
        return;
      case 'webhook':
        counts.emitted++;
        this.deliveries.push({ url: outcome.url, secretRef: outcome.secretRef, at, flow });
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

  private forward({ stage, key, flow }: Outcome & { kind: 'forward' }, { offset, watermark }: Cause): void {
    const { topic, partitions } = this.parts.topicOf(stage);
    if (offset !== this.offset) [this.offset, this.index] = [offset, 0];
    const { source } = this.parts;
    const value = eventValue({ source, offset, index: this.index++, watermark, flow });
    this.forwards.push({ topic, key, value, partitions });
  }

  private late(stream: string | undefined, at: string, flow: FlowEvent): void {
    if (stream !== undefined) {
      this.counts.emitted++;
      this.emits.push({ stream, at, flow });
      return;
    }
    const error = `${at}: it came after its window had closed`;
    this.letter(flow, { at, reason: 'late_event', error });
  }

  private letter(flow: FlowEvent, cause: LetterCause): void {
    const { run, now } = this.parts;
    this.addLetter(letterOf(run, flow, { ...cause, now: now() }));
  }
}
