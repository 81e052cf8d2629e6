import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import { logMayReturn, type TopicAdmin } from '#log';
import { storeMayReturn, type ClosedRows, type PipelineReader, type PipelineWriter } from '#store';
import { compilePipeline, DefinitionError } from '#dataflow';
import type { Logger } from '#telemetry';
import { replayStage } from './current-run.js';
import type { PartitionState } from './partition-state.js';

export interface RunRemovalOptions {
  definitions: Pick<Definitions, 'pipelines' | 'ageMs'>;
  writer: Pick<PipelineWriter, 'runs' | 'removeRun' | 'removeStages' | 'removeClosed'> &
    Pick<PipelineReader, 'progress'>;
  admin: Pick<TopicAdmin, 'list' | 'remove' | 'removeGroup'>;
  topics: TopicNames;
  /** Those that this process has. */
  readonly partitions: () => Iterable<PartitionState>;
  logger: Logger;
  onFailure(error: unknown): void;
  /** Milliseconds between two rounds, and from when no definition names something until it goes. */
  intervalMs?: number;
  patienceMs?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** A view that has not been told anything for so long says nothing about what is named. */
const oldestViewMs = 30_000;

/** What there is of a run, or of one stage of it. */
interface Unnamed {
  run: string;
  stage?: string;
}

/** The ids of stages. */
type Stages = Pick<ReadonlySet<string>, 'has'>;

/**
 * Removes what no definition names any more, when it has not been named for some time, whoever forgot it: runs, and stages
 * of runs, with their groups, topics and rows; and rows of windows that have closed.
 */
export class RunRemoval {
  private readonly unnamedSince = new Map<string, number>();
  private readonly removedTo = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: RunRemovalOptions) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.working = this.attempt().finally(() => this.stopped || this.start());
    }, this.options.intervalMs ?? 60_000).unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.working;
  }

  /** One look at what there is. */
  async round(): Promise<void> {
    await this.removeClosed();
    const { definitions, now = Date.now, patienceMs = 600_000 } = this.options;
    if (definitions.ageMs > oldestViewMs) return this.unnamedSince.clear();
    const unnamed = await this.unnamed();
    for (const name of this.unnamedSince.keys()) if (!unnamed.has(name)) this.unnamedSince.delete(name);
    for (const [name, what] of unnamed) {
      const since = this.unnamedSince.get(name);
      if (since === undefined) this.unnamedSince.set(name, now());
      else if (now() - since >= patienceMs) await this.remove(what);
    }
  }

  private async unnamed(): Promise<Map<string, Unnamed>> {
    const { writer, admin, topics } = this.options;
    const named = this.named();
    const found = new Map<string, Unnamed>();
    const note = (run: string, stage: string): void => {
      const stages = named.get(run);
      if (!stages) found.set(run, { run });
      else if (stage !== '' && !stages.has(stage)) found.set(`${run}.${stage}`, { run, stage });
    };
    for (const topic of await admin.list(topics.prefix)) {
      const run = topics.pipelineRunOf(topic);
      if (run !== undefined) note(run, stageOf(topic));
    }
    const runs = await writer.runs();
    for (const run of runs) note(run, '');
    const known = runs.filter((run) => named.has(run));
    for (const { run, stage } of await writer.progress(known)) note(run, stage);
    return found;
  }

  /** By run, the stages of its definition, and that of its replays. */
  private named(): Map<string, Stages> {
    const named = new Map<string, Stages>();
    for (const { run, spec } of this.options.definitions.pipelines.all()) {
      try {
        named.set(run.id, new Set([...compilePipeline(spec).stages.map(({ id }) => id), replayStage]));
      } catch (error) {
        if (!(error instanceof DefinitionError)) throw error;
        named.set(run.id, everything);
      }
    }
    return named;
  }

  /** The group first, which nobody may be in; then the topics: nothing is left then that could be read. */
  private async remove({ run, stage }: Unnamed): Promise<void> {
    const { admin, topics, writer, logger } = this.options;
    // Some processor has not heard that it is gone. There is another round.
    if (stage === undefined && !(await this.isWithoutGroup(run))) return;
    const all = (await admin.list(topics.prefix)).filter((topic) => topics.pipelineRunOf(topic) === run);
    for (const topic of all) if (stage === undefined || stageOf(topic) === stage) await admin.remove(topic);
    if (stage === undefined) await writer.removeRun(run);
    else await writer.removeStages(run, [stage]);
    this.unnamedSince.delete(stage === undefined ? run : `${run}.${stage}`);
    logger.info({ run, stage }, 'removed what no pipeline has any more');
  }

  /** Where it may not be removed, Kafka forgets it by itself: a week after its last member has left. */
  private async isWithoutGroup(run: string): Promise<boolean> {
    const { admin, topics, logger } = this.options;
    const group = topics.pipelineGroup(run);
    try {
      return await admin.removeGroup(group);
    } catch (error) {
      if (logMayReturn(error)) throw error;
      logger.warn({ group, reason: (error as Error).message }, 'a group cannot be removed');
      return true;
    }
  }

  private async removeClosed(): Promise<void> {
    const closed = new Map<string, ClosedRows[]>();
    const seen = new Map<string, number>();
    for (const { place, savedWatermark } of this.options.partitions()) {
      const { run, stage, partition } = place;
      if (stage === '' || stage === replayStage) continue;
      const name = `${run}.${stage}.${partition}`;
      seen.set(name, savedWatermark);
      if (this.removedTo.get(name) === savedWatermark) continue;
      closed.set(run, [...(closed.get(run) ?? []), { stage, partition, until: savedWatermark }]);
    }
    for (const [run, rows] of closed) await this.options.writer.removeClosed(run, rows);
    this.removedTo.clear();
    for (const [name, until] of seen) this.removedTo.set(name, until);
  }

  private async attempt(): Promise<void> {
    if (this.stopped) return;
    try {
      await this.round();
    } catch (error) {
      if (!storeMayReturn(error) && !logMayReturn(error)) return this.options.onFailure(error);
      // What is left is found in a later round.
      const { message } = error as Error;
      this.options.logger.warn({ reason: message }, 'runs could not be removed: trying again later');
    }
  }
}

/** Of a definition that this version does not understand nothing is removed. */
const everything: Stages = { has: () => true };

function stageOf(topic: string): string {
  return topic.slice(topic.lastIndexOf('.') + 1);
}
