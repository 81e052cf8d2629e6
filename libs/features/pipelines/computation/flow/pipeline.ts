import type { EpochMicros } from '#json';
import type { EventFromKafka } from '#event';
import type { AsOfTime, FoldValues, Json } from '#dataflow';
import type { CountedOperator, OperatorEventCounter } from './operator-event-counts.js';

/**
 * The contract between the compiler, the processor and the dry run. A pipeline is a tree of stages. The first stage of
 * a pipeline reads the partitions of the source streams. Each window, dedupe, expect and join begins another stage, which
 * reads a repartition topic that is keyed by the operator's key. The operators of a stage run one after another; events reach
 * the next stage through its topic. All code here is pure: no clock, no I/O.
 */

/** The source record that an event is derived from, the same after a crash. All derived ids are computed from it. */
export interface Provenance {
  /** Stream of the source record; empty for the result of a window. */
  readonly stream: string;
  readonly partition: number;
  readonly offset: number;
  /** Emission index: list positions of `flat_map`, or a window's stage, start and key. */
  readonly path: string;
  /**
   * For the result of an `expect`, the id of its stage. Ids that are derived from it do not depend on the job, so that a
   * reset reports no missing event a second time.
   */
  readonly expected?: string;
  /** For a replayed dead letter, the offset of its record plus 1. Derived ids do not depend on it. */
  readonly replay?: number;
}

/**
 * An event between two operators. Its stream, partition and offset are those of its provenance, and its id that of the
 * source event until it is emitted. A window result has an empty stream and an empty id.
 */
export interface PipelineEvent {
  readonly event: EventFromKafka;
  readonly origin: Provenance;
  /** For the result of a join, the event of the right side, until the result is passed on. */
  readonly joined?: PipelineEvent | undefined;
}

/** Body formats of a webhook; the first is the default. */
export const webhookFormats = ['event', 'cloudevents'] as const;
/** Body format of a webhook's requests: the event as the API returns it, or a CloudEvent. */
export type WebhookFormat = (typeof webhookFormats)[number];

/** What one operator did with an event. `at` is a JSON pointer such as `/operators/2/map`. */
type Outcome<Kind extends string, Members = unknown> = {
  readonly kind: Kind;
  readonly at: string;
  readonly flow: PipelineEvent;
} & Readonly<Members>;

/** How one operator ended or forwarded an event. */
export type OperatorOutcome =
  | Outcome<'emit', { stream: string }>
  | Outcome<'webhook', { url: string; secretRef: string; format: WebhookFormat }>
  /** The event continues in another stage, through the repartition topic's partition of its key. */
  | Outcome<'forward', { stage: string; key: string; values: FoldValues | undefined; side?: 'right' }>
  /** The event ends here without an error: it is filtered out, is a duplicate, matches no branch, or has no key. */
  | Outcome<'drop', { reason: string }>
  | Outcome<'late', { stream: string | undefined }>
  /** A dead letter. `pointer` is the exact part that failed, such as `/operators/2/map/data/vat`. */
  | Outcome<'fail', { pointer: string; detail: string }>;

/** Entry in the trace of a dry run: an operator passed an event on to the next one, or a branch took it. */
export type PassedOnEvent = Outcome<'pass'>;

/** A request for the state of one key of a projection, which an `enrich` operator needs. */
export interface ProjectionLookup {
  readonly projection: string;
  readonly key: string;
  /** The time of which the state is asked; undefined for the current state. */
  readonly asOf?: AsOfTime | undefined;
}

/** The reason why a projection has no state of a time. */
export interface NoHistory {
  readonly detail: string;
}

/** The answer to a lookup: a state as JSON text, null if the key has none. */
export type ProjectionAnswer = string | null | NoHistory;

/** Returns the answer to each lookup that `lookups` returned. */
export type GetProjectionState = (lookup: ProjectionLookup) => ProjectionAnswer;

/** The compiled stateless operators of one stage of a pipeline, including their branches. */
export interface OperatorChain {
  /** True if one of the operators reads a projection. If true, the caller must call `lookups` before each `run`. */
  readonly looksUp: boolean;
  /** Returns the lookups that `run` still needs. Call it until there are none: an `enrich` may depend on another. */
  lookups(
    flow: PipelineEvent,
    known: (lookup: ProjectionLookup) => ProjectionAnswer | undefined,
  ): readonly ProjectionLookup[];
  /**
   * Processes an event; returns all outcomes in the order of the definition. An event's content never makes it throw.
   * @param counter The chain counts what enters and leaves its operators; the caller counts the outcomes.
   */
  run(
    flow: PipelineEvent,
    tables: GetProjectionState,
    counter?: OperatorEventCounter,
  ): readonly OperatorOutcome[];
  /** Like `run`, with an entry for each operator that passed the event on, for the dry run. */
  trace(flow: PipelineEvent, tables: GetProjectionState): readonly (OperatorOutcome | PassedOnEvent)[];
}

/** The state of one window or key in a keyed stage, as plain JSON. */
export type StateEntryValue = { readonly [name: string]: Json | undefined };

/** A state entry of a keyed stage: the state of one window or one key, and the watermark at which it is due. */
export interface StateEntry<State extends StateEntryValue = StateEntryValue> {
  readonly state: State;
  /** The watermark at which the state entry is due: its window closes, or its key expires. */
  readonly closesAt: EpochMicros;
}

/** An event that arrives at a keyed stage, with the values of the stage's `reduce` if the upstream task sent them. */
export interface KeyedEvent {
  readonly key: string;
  readonly flow: PipelineEvent;
  readonly values?: FoldValues | undefined;
  readonly watermark: EpochMicros;
  /** The stage's watermark, up to which its entries are closed; at most `watermark`, which is the default. */
  readonly stageWatermark?: EpochMicros;
  /** Returns whether a waiting event was erased meanwhile; the default is that none was. */
  readonly isErased?: (flow: PipelineEvent) => boolean;
  /** `right` for an event of the right side of a join. */
  readonly side?: 'right' | undefined;
}

/**
 * The results of a stage, in their order. A result has its position among those of the same record; undefined keeps the
 * position of one that depends on erasures.
 */
export type StageResults = readonly (PipelineEvent | undefined)[];

/** What adding one event to one state entry of a keyed stage changes and produces. */
export interface StateEntryAddResult<State extends StateEntryValue = StateEntryValue> {
  /** The new state entry; undefined if the event did not change it. */
  readonly row?: StateEntry<State> | undefined;
  /** Events that continue in the stage's chain: the event itself (dedupe), or a window result (`"emit": "updates"`). */
  readonly results: StageResults;
  /** A drop, late or fail outcome. If an event belongs to several entries, the first one is the event's. */
  readonly outcome?: OperatorOutcome | undefined;
}

/**
 * The operator of a keyed stage: a window with its reduce, a dedupe, an expect or a join. Its state consists of entries, each with a name
 * of at most 300 characters that is unique in the stage.
 */
export interface KeyedOperator<State extends StateEntryValue = StateEntryValue> {
  /** The most by which a result's time may lie behind the watermark; the stage passes on its watermark less this. */
  readonly delay: EpochMicros;
  /** Returns the names of the event's state entries; there may be several for a hopping window. */
  rowsOf(key: string, timestamp: EpochMicros): readonly string[];
  /**
   * Adds an event to the state entry `name`; `row` is undefined if there is none yet.
   * @param arrival with the greater of the stage's watermark and that of the event's record. A window that closes at or
   *   before it takes no more events.
   */
  add(row: StateEntry<State> | undefined, name: string, arrival: KeyedEvent): StateEntryAddResult<State>;
  /** Returns the results that are due at this watermark, and the entry that remains if some sessions are open. */
  close(
    row: StateEntry<State>,
    name: string,
    watermark: EpochMicros,
  ): { row?: StateEntry<State> | undefined; results: StageResults };
}

/** A window with its reduce, a dedupe, an expect or a join, and the stateless operators after it. It reads a repartition topic. */
export interface KeyedStage {
  /** 16 hexadecimal digits: a hash of what the stage computes, of its upstream stage and of its branch. */
  readonly id: string;
  readonly at: string;
  readonly step: number;
  /** Index in `CompiledPipeline.steps` of the operator that counts the results: the reduce of a window, else `step`. */
  readonly resultStep: number;
  readonly operator: KeyedOperator;
  readonly chain: OperatorChain;
}

/** Which events of which streams enter a pipeline: those of its source, or those of the right side of a join. */
export interface StreamSelection {
  readonly streams: readonly string[];
  /** The selected event types; undefined for all types. */
  readonly eventTypes: ReadonlySet<string> | undefined;
  /** Returns whether an event of one of the streams is selected, by its type and by `where`. */
  matches(flow: PipelineEvent): boolean;
}

/** One way into a pipeline: the source with the operators of the first stage, or the right side of a join. */
export interface StreamInput extends StreamSelection {
  readonly chain: OperatorChain;
}

/** What feeds a stage: one upstream stage or the source, and the streams of the right side of a join. */
export interface StageUpstream {
  readonly stage: string | undefined;
  /** The streams whose partitions feed the stage directly. */
  readonly streams: readonly string[];
}

/** A compiled pipeline definition: its inputs, its stages with their operators, and its external effects. */
export interface CompiledPipeline {
  readonly source: StreamInput;
  /** The source and the right sides of joins. */
  readonly inputs: readonly StreamInput[];
  readonly idleAfterMs: number;
  /** All operators of the pipeline, including those in branches, in the order of the definition. */
  readonly steps: readonly CountedOperator[];
  /** The keyed stages in the order of the definition, each after its upstream stage. */
  readonly stages: readonly KeyedStage[];
  /**
   * Returns the operators for an event that enters at this operator, such as `/operators/2/map`; undefined if there is
   * none. For an `emit` or a `webhook`, it is that output only: later operators have processed the event already.
   */
  entry(at: string): OperatorChain | undefined;
  /** Returns what feeds a stage. */
  upstreamOf(stage: string): StageUpstream;
  /** Names of the streams that the pipeline writes to, including those for late events. */
  readonly writes: ReadonlySet<string>;
  readonly webhooks: readonly { at: string; url: string; secretRef: string }[];
  readonly projections: ReadonlySet<string>;
}
