import { Retry, Shutdown, type KnownErasures, type Progress } from '#engine';
import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import type { Log, Producer } from '#log';
import type { EventReader, EventWriter, PipelineReader, PipelineWriter, ProjectionReader } from '#store';
import type { IdWindowBounds } from '#dataflow';
import type { Logger, Tracing } from '#telemetry';
import type { Deliverer } from '#webhooks';
import { Saver } from '../projections/saver.js';
import { EmittedSchemas } from './emitted-schemas.js';
import { Emitter } from './emitter.js';
import { InternalAppends } from './internal-appends.js';
import { RowBudget, type RowBounds } from './partition-rows.js';
import type { PartitionState } from './partition-state.js';
import { PipelineSupervisor } from './pipeline-supervisor.js';
import { ProjectionTables } from './projection-tables.js';
import type { Pace, StretchSaver } from './run-parts.js';
import { RunRemoval } from './run-removal.js';
import { saveStretches } from './save-stretches.js';
import { TargetStreams } from './target-streams.js';
import { WrittenBefore } from './written-before.js';

export interface PipelinesOptions {
  log: Log;
  producer: Pick<Producer, 'append'>;
  topics: TopicNames;
  definitions: Pick<
    Definitions,
    'pipelines' | 'projections' | 'schemas' | 'stream' | 'createStream' | 'onChange' | 'ageMs'
  >;
  writer: PipelineWriter & Pick<PipelineReader, 'progress'> & Pick<EventWriter, 'appendDeadLetters'>;
  reader: Pick<EventReader, 'storedIds'>;
  projections: Pick<ProjectionReader, 'find'>;
  webhooks: Pick<Deliverer, 'deliver' | 'hindrance'>;
  erasures: KnownErasures;
  progress: Progress;
  logger: Logger;
  tracing?: Tracing | undefined;
  window: IdWindowBounds;
  /** Rows kept in memory, and about how many characters they may take. */
  cache: RowBounds;
  /** What may wait to be saved. */
  unsaved: { keys: number; weight: number };
  saveIntervalMs: number;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  pace?: Pace;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** It cannot go on by itself; called once. The process should end. */
  onFailure(error: Error): void;
}

const defaultPace: Pace = { tellMs: 200, quietSaveMs: 5000, goneMs: 10_000 };
/** Partitions that compute at the same time. */
const computingAtOnce = 4;

/** Runs the pipelines that are defined. */
export class Pipelines {
  private readonly retry: Retry;
  private readonly saver: StretchSaver;
  private readonly supervisor: PipelineSupervisor;
  private readonly removal: RunRemoval;
  private readonly shutdown: Shutdown;

  constructor(options: PipelinesOptions) {
    const { log, topics, definitions, writer, progress, logger, projections, webhooks } = options;
    const { erasures, window, pace = defaultPace, now = Date.now } = options;
    const producer = new InternalAppends({ producer: options.producer, topics, goneMs: pace.goneMs });
    const shutdown = new Shutdown((error) => options.onFailure(error));
    this.shutdown = shutdown;
    const onFailure = (error: unknown): void => shutdown.fail(error);
    const retry = new Retry({ logger, failedAttempt: () => progress.attempted(), ...options.retryDelays });
    this.retry = retry;
    const saving = { writer, retry, stopped: shutdown.signal };
    const saver: StretchSaver = new Saver({
      save: (all) => saveStretches(saving, all),
      saved: (state, next) => this.supervisor.saved(state, next),
      ...{ onFailure, intervalMs: options.saveIntervalMs, most: options.unsaved, turns: computingAtOnce },
    });
    this.saver = saver;
    const emitter = new Emitter({
      ...{ producer, topics, retry, webhooks, now: () => now() * 1000 },
      streams: new TargetStreams(definitions),
      schemas: new EmittedSchemas(definitions),
    });
    const known = {
      ...{
        admin: log.admin,
        reader: options.reader,
        definitions,
        topics,
        retry,
        progress,
        logger,
        window,
        now,
      },
    };
    const tables = new ProjectionTables({ definitions, store: projections, now });
    this.supervisor = new PipelineSupervisor({
      ...{ definitions, logger, webhooks },
      parts: {
        projections: definitions.projections,
        ...{ log, topics, producer, writer, emitter, tables, retry, saver, erasures, window, progress },
        writtenBefore: (takeover, signal) => WrittenBefore.since(known, takeover, signal),
        ...{ budget: new RowBudget(options.cache), pace, now, onFailure, tracing: options.tracing },
      },
    });
    this.removal = new RunRemoval({
      ...{ definitions, writer, topics, logger, onFailure, now, admin: log.admin },
      partitions: () => this.supervisor.partitions(),
    });
  }

  start(): void {
    this.supervisor.start();
    this.removal.start();
  }

  /** The partitions that this process has now. */
  partitions(): Iterable<PartitionState> {
    return this.supervisor.partitions();
  }

  /** What is being repeated because an engine does not take it, and why; undefined when all goes well. */
  get complaint(): string | undefined {
    return this.retry.complaint;
  }

  /** Saves and commits what has been done, takes nothing more, leaves the groups. */
  async close(flushMs: number): Promise<void> {
    await this.shutdown.within(flushMs, (givenUp) => this.supervisor.close(givenUp));
    this.saver.abandon();
    await this.removal.stop();
  }
}
