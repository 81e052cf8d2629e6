import { TimeSlice } from '#async';
import type { EpochMicros } from '#json';
import { StepBudget, withinBudget } from '#cel';
import type { EventFromKafka } from '#event';
import { addToStateEntries } from './add-to-state-entries.js';
import { DryRunRecorder, dryRunLimits, type DryRunResult, type DryRunStep } from './dry-run-recorder.js';
import { downstreamWatermark } from './upstream-progress.js';
import { sourceEvent } from './flow/lazily-parsed-event.js';
import { lookupName } from './flow/lookup-name.js';
import type {
  OperatorChain,
  PipelineEvent,
  StateEntry,
  KeyedStage,
  ProjectionAnswer,
  ProjectionLookup,
  OperatorOutcome,
  PassedOnEvent,
  CompiledPipeline,
  StreamInput,
} from './flow/pipeline.js';
import { noWatermark, PartitionWatermarkGenerator } from './partition-watermark-generator.js';

/** Fetches the answers to lookups, in the order of the lookups. */
export type FetchProjectionStates = (
  lookups: readonly ProjectionLookup[],
) => Promise<readonly ProjectionAnswer[]>;

/**
 * Returns what a pipeline would do if the given events of each stream were one partition and its whole input; at the end, every window
 * closes. Writes and stores nothing. Other work of the process can run in between.
 * @throws DryRunTooExpensiveError
 */
export async function dryRun(
  pipeline: CompiledPipeline,
  events: readonly EventFromKafka[],
  ask: FetchProjectionStates,
): Promise<DryRunResult> {
  return new DryRunner(pipeline, ask).run(events);
}

/** Error: the expressions of a dry run take more than 800 000 evaluation steps together. */
export class DryRunTooExpensiveError extends Error {
  override readonly name = 'DryRunTooExpensiveError';

  constructor() {
    super(`The evaluations take more than ${dryRunLimits.steps} steps together.`);
  }
}

/** Maximum number of lookups in the first request; further ones are made when their events are processed. */
const mostAtOnce = 1000;

/** The work that one part of a dry run counts for: half of that between two readings of the clock. */
const workOfPiece = 8_192;

interface StageState {
  readonly stage: KeyedStage;
  readonly rows: Map<string, StateEntry>;
  watermark: EpochMicros;
}

class DryRunner {
  readonly #record = new DryRunRecorder();
  readonly #stages: ReadonlyMap<string, StageState>;
  /** The watermark of each given stream: in the processor, streams share no partition. */
  readonly #times = new Map<string, PartitionWatermarkGenerator>();
  readonly #known = new Map<string, ProjectionAnswer>();
  readonly #budget = new StepBudget(dryRunLimits.steps);
  readonly #turn = new TimeSlice();

  constructor(
    private readonly pipeline: CompiledPipeline,
    private readonly ask: FetchProjectionStates,
  ) {
    this.#stages = new Map(
      pipeline.stages.map((stage) => [stage.id, { stage, rows: new Map(), watermark: noWatermark }]),
    );
  }

  async run(events: readonly EventFromKafka[]): Promise<DryRunResult> {
    for (const { stream } of events)
      this.#times.set(stream, new PartitionWatermarkGenerator({ idleAfterMs: Infinity, nowMs: 0 }));
    await this.#prepare(events);
    for (const event of events) {
      if (this.#record.isFull) break;
      await this.#read(event);
    }
    await this.#advance(() => Infinity);
    return this.#record.result;
  }

  /** Fetches the first lookups of all events in one request. Lookups that depend on answers are made later. */
  async #prepare(events: readonly EventFromKafka[]): Promise<void> {
    const { source } = this.pipeline;
    if (!source.chain.looksUp) return;
    const missing = new Map<string, ProjectionLookup>();
    for (const event of events) {
      if (missing.size >= mostAtOnce) break;
      const lookups = this.#bounded(() => {
        const flow = sourceEvent(event);
        return selects(source, flow) ? source.chain.lookups(flow, () => undefined) : [];
      });
      for (const lookup of lookups) missing.set(lookupName(lookup), lookup);
      await this.#giveWay();
    }
    if (missing.size > 0) await this.#learn([...missing.values()]);
  }

  async #read(event: EventFromKafka): Promise<void> {
    const flow = sourceEvent(event);
    const steps = this.#record.event(event);
    const inputs = this.pipeline.inputs.filter((input) => this.#bounded(() => selects(input, flow)));
    const time = this.#times.get(event.stream)!;
    const watermark = time.value;
    for (const { chain } of inputs) await this.#run(chain, { flow, watermark }, steps);
    if (inputs.length === 0) {
      const right = this.pipeline.inputs.length > 1 ? ', and no join reads it' : '';
      const reason = `The source does not match the event${right}.`;
      this.#record.step(steps, { at: '/source', outcome: 'dropped', reason });
    }
    time.read(event.timestamp, event.ingested_at, 0);
    await this.#advance((stream) => this.#times.get(stream)?.value ?? Infinity);
  }

  /** Closes all due windows. A stage receives the results of its upstream stage before its watermark advances. */
  async #advance(watermarkOf: (stream: string) => EpochMicros): Promise<void> {
    for (const state of this.#stages.values()) {
      const { stage, streams } = this.pipeline.upstreamOf(state.stage.id);
      const upstream = this.#stages.get(stage ?? '');
      const before = downstreamWatermark(state.watermark, state.stage.operator.delay);
      state.watermark = Math.min(
        upstream ? downstreamWatermark(upstream.watermark, upstream.stage.operator.delay) : Infinity,
        ...streams.map(watermarkOf),
      );
      await this.#close(state, before);
    }
  }

  async #close({ stage, rows, watermark }: StageState, before: EpochMicros): Promise<void> {
    const due = [...rows].filter(([, { closesAt }]) => closesAt <= watermark);
    for (const [name, row] of due.sort(inOrder)) {
      if (this.#record.isFull) return;
      await this.#giveWay();
      const { row: rest, results } = this.#bounded(() => stage.operator.close(row, name, watermark));
      if (rest) rows.set(name, rest);
      else rows.delete(name);
      for (const flow of results.filter((one) => one !== undefined))
        await this.#run(stage.chain, { flow, watermark: before }, this.#record.window(stage.at, flow.event));
    }
  }

  /** @param input with the watermark that the event carries, as in a record of a repartition topic */
  async #run(
    chain: OperatorChain,
    { flow, watermark }: { flow: PipelineEvent; watermark: EpochMicros },
    steps: DryRunStep[],
  ): Promise<void> {
    if (this.#record.isFull) return;
    await this.#lookUp(chain, flow);
    await this.#giveWay();
    const outcomes = this.#bounded(() =>
      chain.trace(flow, (lookup) => this.#known.get(lookupName(lookup)) ?? null),
    );
    for (const outcome of outcomes) {
      if (this.#record.isFull) return;
      await this.#follow(outcome, watermark, steps);
    }
  }

  async #lookUp(chain: OperatorChain, flow: PipelineEvent): Promise<void> {
    const next = () =>
      this.#bounded(() => chain.lookups(flow, (lookup) => this.#known.get(lookupName(lookup))));
    for (let missing = next(); missing.length > 0; missing = next()) await this.#learn(missing);
  }

  /** Yields to the event loop if this time slice is over. Any part may be expensive, so the clock is read often. */
  async #giveWay(): Promise<void> {
    if (this.#turn.over(workOfPiece)) await this.#turn.end();
  }

  /** Runs a synchronous part of the dry run within the dry run's step budget. @throws DryRunTooExpensiveError */
  #bounded<T>(work: () => T): T {
    const result = withinBudget(this.#budget, work);
    if (this.#budget.isSpent) throw new DryRunTooExpensiveError();
    return result;
  }

  async #learn(lookups: readonly ProjectionLookup[]): Promise<void> {
    const texts = await this.ask(lookups);
    lookups.forEach((lookup, i) => this.#known.set(lookupName(lookup), texts[i] ?? null));
  }

  async #follow(
    outcome: OperatorOutcome | PassedOnEvent,
    carried: EpochMicros,
    steps: DryRunStep[],
  ): Promise<void> {
    this.#record.outcome(outcome, steps);
    if (outcome.kind !== 'forward') return;
    await this.#giveWay();
    const { stage, rows, watermark: reached } = this.#stages.get(outcome.stage) as StageState;
    const watermark = Math.max(reached, carried);
    const { key, flow, side } = outcome;
    const names = stage.operator.rowsOf(key, flow.event.timestamp);
    const there = { names, rowOf: (name: string) => rows.get(name) };
    const added = this.#bounded(() =>
      addToStateEntries(stage.operator, there, { key, flow, watermark, stageWatermark: reached, side }),
    );
    for (const [name, row] of added.rows) rows.set(name, row);
    const results = added.results.filter((one) => one !== undefined);
    if (added.outcome) this.#record.outcome(added.outcome, steps);
    else if (results.length > 0 || stage.step !== stage.resultStep)
      this.#record.step(steps, { at: stage.at, outcome: 'passed', key });
    else this.#record.step(steps, { at: stage.at, outcome: 'waiting', key });
    const passed = downstreamWatermark(watermark, stage.operator.delay);
    for (const result of results) await this.#run(stage.chain, { flow: result, watermark: passed }, steps);
  }
}

function selects(input: StreamInput, flow: PipelineEvent): boolean {
  return input.streams.includes(flow.event.stream) && input.matches(flow);
}

function inOrder([a, rowA]: [string, StateEntry], [b, rowB]: [string, StateEntry]): number {
  return rowA.closesAt - rowB.closesAt || (a < b ? -1 : 1);
}
