import type { Micros } from '#event';
import type { LogEvent } from '#cel';
import type { Json } from '../fold-operations/json.js';

/**
 * What the processor and the dry run hold against each other: a pipeline is stages. The first reads the sources'
 * partitions; each window and each dedupe begins another one, which reads a topic of its own, keyed by its key. Within a
 * stage operators run one after another; between two, events are forwarded. Everything here is pure: no clock, no I/O.
 */

/** Where an event comes from: the same after every crash, whoever reads it. All derived ids are made of it. */
export interface Origin {
  /** Of the source; of the result of a window, empty. */
  readonly stream: string;
  readonly partition: number;
  readonly offset: number;
  /** What tells several events of one origin apart: indices of flat_map, or a window's stage, key and start. */
  readonly path: string;
  /**
   * Of what goes on after it was a dead letter: the offset of the replay and 1. Absent otherwise. Should it fail again,
   * that is another dead letter; ids are not made of it.
   */
  readonly replay?: number;
}

/**
 * An event on its way. `event.stream`, `partition` and `offset` are those of its origin; its id too until it is emitted. The
 * result of a window has no stream and no id ('').
 */
export interface FlowEvent {
  readonly event: LogEvent;
  readonly origin: Origin;
}

/** What a webhook posts; the first is the default. */
export const webhookFormats = ['event', 'cloudevents'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** What became of an event at one operator. `at` is a JSON pointer into the definition, such as `/operators/2/map`. */
export type Outcome =
  | { readonly kind: 'emit'; readonly at: string; readonly stream: string; readonly flow: FlowEvent }
  | {
      readonly kind: 'webhook';
      readonly at: string;
      readonly url: string;
      readonly secretRef: string;
      readonly format: WebhookFormat;
      readonly flow: FlowEvent;
    }
  /** Goes to another stage: to the partition of its key. */
  | {
      readonly kind: 'forward';
      readonly at: string;
      readonly stage: string;
      readonly key: string;
      readonly flow: FlowEvent;
    }
  /** No error: filtered, a repetition, no branch, no key. */
  | { readonly kind: 'drop'; readonly at: string; readonly reason: string; readonly flow: FlowEvent }
  | {
      readonly kind: 'late';
      readonly at: string;
      readonly stream: string | undefined;
      readonly flow: FlowEvent;
    }
  /** Goes to the dead letters. `pointer` is exact: `/operators/2/map/data/vat`. */
  | {
      readonly kind: 'fail';
      readonly at: string;
      readonly pointer: string;
      readonly detail: string;
      readonly flow: FlowEvent;
    };

/** An operator let an event pass; a branch took it. Only a trace has these. */
export interface Passed {
  readonly kind: 'pass';
  readonly at: string;
  /** As it goes on. */
  readonly flow: FlowEvent;
}

/** What has to be known before an `enrich` from a projection can run. */
export interface Lookup {
  readonly projection: string;
  readonly key: string;
}

/** The states of projections as JSON text; null where there is none. All that `lookups` named is there. */
export type Tables = (lookup: Lookup) => string | null;

/** Stateless operators one after another, with their branches. */
export interface Chain {
  /** True when a projection has to be asked: then `lookups` goes before each `run`. */
  readonly looksUp: boolean;
  /**
   * The lookups that `run` would ask for next, given what is known; empty when it has all. Repeat until it is: an enrich
   * may depend on one before it.
   */
  lookups(flow: FlowEvent, known: (lookup: Lookup) => string | null | undefined): readonly Lookup[];
  /** Everything that becomes of the event, in the order of the definition. Never throws for what an event holds. */
  run(flow: FlowEvent, tables: Tables): readonly Outcome[];
  /** The same, with each operator that let the event pass: for the dry run. */
  trace(flow: FlowEvent, tables: Tables): readonly (Outcome | Passed)[];
}

/** What a stage knows of one row. Plain JSON. */
export type KeyedState = { readonly [name: string]: Json | undefined };

/** A row of a keyed stage: what it knows of one window, or of one key. */
export interface KeyedRow<State extends KeyedState = KeyedState> {
  readonly state: State;
  /** When the watermark reaches it there is something to do (a window closes), or nothing more to know. */
  readonly closesAt: Micros;
}

/** What an event did to a row; or that it is late; or why it cannot be folded. */
export interface KeyedStep<State extends KeyedState = KeyedState> {
  /** Undefined: unchanged. */
  readonly row?: KeyedRow<State> | undefined;
  /** What goes on through the stage's chain: the event itself (dedupe), or a result (`"emit": "updates"`). */
  readonly results: readonly FlowEvent[];
  /**
   * Drop, late or fail; undefined when it was taken. Of an event with several rows the first of these is what became of
   * it: a value that cannot be folded is refused by each of its windows.
   */
  readonly outcome?: Outcome | undefined;
}

/** A window with its reduce, or a dedupe. Its state is rows, each of one name: unique in the stage, of at most 300 characters. */
export interface KeyedOperator<State extends KeyedState = KeyedState> {
  /** How far its results may lie behind the watermark that makes them: what it passes on is less by it. */
  readonly delay: Micros;
  /** The rows that this event is for; several of a hopping window. */
  rowsOf(key: string, timestamp: Micros): readonly string[];
  /**
   * @param watermark the stage's, and that of the event's own source partition at the event, whichever is greater: what
   * closes at or before it takes nothing more.
   */
  add(
    row: KeyedRow<State> | undefined,
    name: string,
    arrival: { key: string; flow: FlowEvent; watermark: Micros },
  ): KeyedStep<State>;
  /**
   * What is due at this watermark. Undefined `row`: there is nothing left of it. Else it has to be saved: of several
   * sessions of a key some have closed.
   */
  close(
    row: KeyedRow<State>,
    name: string,
    watermark: Micros,
  ): { row?: KeyedRow<State> | undefined; results: readonly FlowEvent[] };
}

/** A stage that is keyed: `key` is that of its topic's records. */
export interface KeyedStage {
  /** 16 hexadecimal digits of what it computes, what feeds it and in which branch it is: another window is another stage. */
  readonly id: string;
  /** Of the window or the dedupe. */
  readonly at: string;
  readonly operator: KeyedOperator;
  readonly chain: Chain;
}

/** A definition, compiled. */
export interface Pipeline {
  /** Undefined takes every type. */
  readonly eventTypes: ReadonlySet<string> | undefined;
  /** What `source.where` says. */
  matches(flow: FlowEvent): boolean;
  readonly idleAfterMs: number;
  /** What runs over the sources. */
  readonly chain: Chain;
  /** In the order of the definition: a stage is fed by the source or by one before it. */
  readonly stages: readonly KeyedStage[];
  /**
   * What an event goes through that goes on at this operator, which is a pointer such as `/operators/2/map`; undefined
   * where there is none. Of an `emit` or a `webhook` it is that output alone: what stands after it has had the event.
   */
  entry(at: string): Chain | undefined;
  /** Which stages, or the source (undefined), feed a stage. Exactly one, as a pipeline is a tree. */
  feederOf(stage: string): string | undefined;
  /** Streams that it writes to, those for what is late among them. */
  readonly writes: ReadonlySet<string>;
  readonly webhooks: readonly { at: string; url: string; secretRef: string }[];
  /** Projections that it asks. */
  readonly projections: ReadonlySet<string>;
}
