import { GarbageCollection, type GarbageCollectionOptions } from '#engine';
import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import { logMayReturn, type TopicAdmin } from '#log';
import { storeMayReturn, type ClosedRows, type KeyedStateReader, type KeyedStateWriter } from '#store';
import { compilePipeline, DefinitionError } from '#dataflow';
import { replayStage } from '../stages/current-job.js';
import type { PartitionState } from '../state/partition-state.js';

export interface JobCollectionOptions extends Pick<
  GarbageCollectionOptions<Unnamed>,
  'logger' | 'onFailure' | 'intervalMs' | 'patienceMs' | 'now'
> {
  definitions: Pick<Definitions, 'pipelines' | 'ageMs'>;
  writer: Pick<KeyedStateWriter, 'owners' | 'remove' | 'removeStages' | 'removeClosed'> &
    Pick<KeyedStateReader, 'progress'>;
  admin: Pick<TopicAdmin, 'list' | 'remove' | 'removeGroup'>;
  topics: TopicNames;
  /** Those that this process has. */
  readonly partitions: () => Iterable<PartitionState>;
}

/** A job or one of its stages that has topics, groups or rows. */
interface Unnamed {
  run: string;
  stage?: string;
}

/** The ids of stages. */
type Stages = Pick<ReadonlySet<string>, 'has'>;

/**
 * Removes what no definition names any more, when it has not been named for some time, whoever forgot it: runs, and
 * stages of jobs, with their groups, topics and rows; and rows of windows that have closed.
 */
export class JobCollection {
  private readonly removedTo = new Map<string, number>();
  private readonly collection: GarbageCollection<Unnamed>;

  constructor(private readonly options: JobCollectionOptions) {
    this.collection = new GarbageCollection({
      ...options,
      unnamed: () => this.unnamed(),
      remove: (unnamed) => this.remove(unnamed),
      tidy: () => this.removeClosed(),
      mayReturn: (error) => storeMayReturn(error) || logMayReturn(error),
    });
  }

  start(): void {
    this.collection.start();
  }

  async stop(): Promise<void> {
    await this.collection.stop();
  }

  /** Looks once at what there is. */
  async round(): Promise<void> {
    await this.collection.round();
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
    const runs = await writer.owners();
    for (const run of runs) note(run, '');
    const known = runs.filter((run) => named.has(run));
    for (const { owner, stage } of await writer.progress(known)) note(owner, stage);
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
  private async remove({ run, stage }: Unnamed): Promise<boolean> {
    const { admin, topics, writer, logger } = this.options;
    // Some processor has not heard that it is gone. There is another round.
    if (stage === undefined && !(await this.isWithoutGroup(run))) return false;
    const all = (await admin.list(topics.prefix)).filter((topic) => topics.pipelineRunOf(topic) === run);
    for (const topic of all) if (stage === undefined || stageOf(topic) === stage) await admin.remove(topic);
    if (stage === undefined) await writer.remove(run);
    else await writer.removeStages(run, [stage]);
    logger.info({ run, stage }, 'removed what no pipeline has any more');
    return true;
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
      const { owner, stage, partition } = place;
      if (stage === '' || stage === replayStage) continue;
      const name = `${owner}.${stage}.${partition}`;
      seen.set(name, savedWatermark);
      if (this.removedTo.get(name) === savedWatermark) continue;
      closed.set(owner, [...(closed.get(owner) ?? []), { stage, partition, until: savedWatermark }]);
    }
    for (const [run, rows] of closed) await this.options.writer.removeClosed(run, rows);
    this.removedTo.clear();
    for (const [name, until] of seen) this.removedTo.set(name, until);
  }
}

/** Of a definition that this version does not understand nothing is removed. */
const everything: Stages = { has: () => true };

function stageOf(topic: string): string {
  return topic.slice(topic.lastIndexOf('.') + 1);
}
