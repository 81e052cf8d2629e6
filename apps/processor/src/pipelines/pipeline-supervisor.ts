import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#api';
import { systemActor, type Definitions, type PipelineDefinition } from '#registry';
import { metrics, type Logger } from '#telemetry';
import type { Deliverer } from '#webhooks';
import type { PartitionState } from './partition-state.js';
import type { RunParts } from './run-parts.js';
import { RunRunner } from './run-runner.js';
import { RunSelection, type WantedRun } from './wanted-runs.js';
import { forgetAttempts, showAttempts } from './webhook-figures.js';

export interface PipelineSupervisorOptions {
  definitions: Pick<Definitions, 'pipelines' | 'stream' | 'onChange'>;
  webhooks: Pick<Deliverer, 'hindrance'>;
  /** What the runners share; `giveUp` is made here. */
  parts: Omit<RunParts, 'giveUp'>;
  logger: Logger;
  /** Milliseconds between two attempts to say that a run cannot go on. */
  intervalMs?: number;
}

/** What a runner that is not wanted any more may take to save. */
const stopMs = 10_000;

const ofPipelines = [
  metrics.pipelineProcessed,
  metrics.pipelineEmitted,
  metrics.pipelineDropped,
  metrics.pipelineLate,
  metrics.pipelineFailed,
  metrics.pipelineDuplicates,
  metrics.pipelineWatermark,
  metrics.pipelineLastProgress,
];

/** Keeps a runner for each run that shall run, as the definitions change. */
export class PipelineSupervisor {
  private readonly runners = new Map<string, RunRunner>();
  private readonly stopping = new Map<string, Promise<void>>();
  /** Why runs cannot go on, until their definitions say so. */
  private readonly lost = new Map<string, string>();
  /** Why runs cannot begin, as the definitions are now. */
  private impossible: ReadonlyMap<string, string> = new Map();
  private readonly selection: RunSelection;
  private readonly parts: RunParts;
  private names = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private telling: Promise<void> = Promise.resolve();
  private closed = false;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: PipelineSupervisorOptions) {
    this.selection = new RunSelection(options.definitions, options.webhooks);
    this.parts = { ...options.parts, giveUp: (run, reason) => this.giveUp(run, reason) };
  }

  /** Follows the definitions from now on. */
  start(): void {
    const follow = (): void => {
      try {
        this.follow();
      } catch (error) {
        this.parts.onFailure(error);
      }
    };
    this.stopListening = this.options.definitions.onChange(follow);
    follow();
  }

  /** The partitions that this process has. */
  *partitions(): Iterable<PartitionState> {
    for (const runner of this.runners.values()) yield* runner;
  }

  /** The partition is saved up to `next`. */
  saved(state: PartitionState, next: number): void {
    this.runners.get(state.place.run)?.saved(state, next);
  }

  /** Saves what was done and leaves every group. */
  async close(givenUp: Promise<unknown>): Promise<void> {
    this.closed = true;
    this.stopListening();
    clearTimeout(this.timer);
    await Promise.all([...this.runners.values()].map((runner) => runner.stop(givenUp)));
    await Promise.all([...this.stopping.values(), this.telling]);
  }

  private follow(): void {
    if (this.closed) return;
    const { wanted, impossible } = this.selection.now();
    const ids = new Set(wanted.map(({ definition }) => definition.run.id));
    for (const [id, runner] of this.runners) if (!ids.has(id)) this.stop(id, runner);
    for (const one of wanted) this.run(one);
    this.impossible = new Map(impossible.map(({ run, reason }) => [run, reason]));
    if (this.impossible.size > 0) this.tellSoon();
    this.forgetNames(new Set(this.options.definitions.pipelines.all().map(({ name }) => name)));
    metrics.pipelineRuns.set(this.runners.size);
  }

  private run(wanted: WantedRun): void {
    const { name, version, run } = wanted.definition;
    // It is leaving its group still: once it has, there is another look.
    if (this.stopping.has(run.id)) return;
    if (wanted.pipeline.webhooks.length > 0) showAttempts(name);
    let runner = this.runners.get(run.id);
    if (!runner) {
      runner = new RunRunner(wanted, this.parts);
      this.runners.set(run.id, runner);
      this.options.logger.info({ pipeline: name, run: run.id, version }, 'running');
    }
    runner
      .follow(wanted)
      .catch((error: unknown) => this.closed || this.stopping.has(run.id) || this.parts.onFailure(error));
  }

  private stop(id: string, runner: RunRunner): void {
    if (this.stopping.has(id)) return;
    this.options.logger.info({ pipeline: runner.name, run: id }, 'stopping');
    const stopped = runner.stop(sleep(stopMs, undefined, { ref: false })).then(
      () => {
        this.stopping.delete(id);
        this.runners.delete(id);
        this.follow();
      },
      (error: unknown) => this.parts.onFailure(error),
    );
    this.stopping.set(id, stopped);
  }

  private giveUp(run: string, reason: string): void {
    this.lost.set(run, reason);
    this.tellSoon();
  }

  private tellSoon(): void {
    this.timer ??= setTimeout(() => void (this.telling = this.tell()), this.options.intervalMs ?? 1000);
  }

  /** Has the definitions say that runs cannot go on: it may be tried again. */
  private async tell(): Promise<void> {
    this.timer = undefined;
    for (const [run, reason] of [...this.impossible, ...this.lost]) {
      if (this.closed) return;
      try {
        await this.fail(run, reason);
        this.lost.delete(run);
      } catch (error) {
        if (!(error instanceof ProblemError)) return this.parts.onFailure(error);
        this.options.logger.debug({ reason: error.message }, 'a pipeline could not be changed: trying again');
        return this.tellSoon();
      }
    }
  }

  private async fail(run: string, reason: string): Promise<void> {
    const { pipelines } = this.options.definitions;
    const found = pipelines.all().find((one) => one.run.id === run);
    if (!found) return;
    // A loop that a gateway has just written is taken back at once, and what made a definition impossible may have changed.
    const isStill = (current: PipelineDefinition | undefined): current is PipelineDefinition =>
      current?.run.id === run &&
      current.failure === null &&
      (this.lost.has(run) || this.impossible.get(run) === reason);
    const { changed } = await pipelines.change(
      found.name,
      (current) => (isStill(current) ? { ...current, failure: reason } : current),
      systemActor,
    );
    if (changed) this.options.logger.error({ pipeline: found.name, run, reason }, 'cannot go on');
  }

  private forgetNames(names: Set<string>): void {
    for (const name of this.names) {
      if (names.has(name)) continue;
      for (const metric of ofPipelines) metric.remove({ pipeline: name });
      forgetAttempts(name);
    }
    this.names = names;
  }
}
