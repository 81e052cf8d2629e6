import { Retry, Shutdown, type KnownErasures, type Progress } from '#engine';
import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import type { Log } from '#log';
import type { EventReader, EventWriter, ProjectionWriter } from '#store';
import type { IdWindowBounds } from '#dataflow';
import type { Logger, Tracing } from '#telemetry';
import { BuildRemoval } from './projections/build-removal.js';
import { KeyCache } from './projections/key-cache.js';
import type { PartitionProjector } from './projections/partition-projector.js';
import { saveStates, type StateSaver } from './projections/save-states.js';
import { Saver } from './projections/saver.js';
import { StoredHistory } from './projections/stored-history.js';
import { Supervisor } from './projections/supervisor.js';

export interface ProcessorOptions {
  log: Log;
  topics: TopicNames;
  definitions: Pick<Definitions, 'projections' | 'stream' | 'onChange' | 'ageMs'>;
  writer: ProjectionWriter & Pick<EventWriter, 'appendDeadLetters'>;
  /** What the log has no more. */
  reader: Pick<EventReader, 'inLogOrder'>;
  erasures: KnownErasures;
  progress: Progress;
  logger: Logger;
  window: IdWindowBounds;
  /** Keys kept in memory, and about how many characters they may take. */
  cache: { keys: number; weight: number };
  /** What may wait to be saved. */
  unsaved: { keys: number; weight: number };
  saveIntervalMs: number;
  tracing?: Tracing | undefined;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  /** Milliseconds between two looks at the builds that are being made. */
  lookMs?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** It cannot go on by itself; called once. The process should end. */
  onFailure(error: Error): void;
}

/** Partitions that fold a batch, and ask the store for keys, at the same time. */
const foldingAtOnce = 4;

/** Folds what projections are defined over, and keeps their states in the store. */
export class Processor {
  private readonly retry: Retry;
  private readonly saver: StateSaver;
  private readonly supervisor: Supervisor;
  private readonly removal: BuildRemoval;
  private readonly shutdown: Shutdown;

  constructor(options: ProcessorOptions) {
    const { log, topics, definitions, writer, erasures, progress, logger, window, tracing } = options;
    const shutdown = new Shutdown((error) => options.onFailure(error));
    this.shutdown = shutdown;
    const onFailure = (error: unknown): void => shutdown.fail(error);
    const retry = new Retry({ logger, failedAttempt: () => progress.attempted(), ...options.retryDelays });
    this.retry = retry;
    const saving = { writer, retry, tracing, stopped: shutdown.signal };
    const saver: StateSaver = new Saver({
      save: (all) => saveStates(saving, all),
      onFailure,
      intervalMs: options.saveIntervalMs,
      most: options.unsaved,
      turns: foldingAtOnce,
      saved: (part, next) => this.supervisor.saved(part, next),
    });
    this.saver = saver;
    this.removal = new BuildRemoval({ definitions, writer, logger, onFailure });
    this.supervisor = new Supervisor({
      ...{ definitions, logger, removal: this.removal },
      ...(options.lookMs !== undefined && { intervalMs: options.lookMs }),
      parts: {
        ...{ log, topics, writer, retry, saver, erasures, window, progress, tracing, onFailure },
        keys: new KeyCache(options.cache),
        history: new StoredHistory({
          ...{ topics, retry, progress, logger, admin: log.admin, reader: options.reader },
          windowRecords: window.records,
          ...(options.lookMs !== undefined && { lookMs: options.lookMs }),
        }),
        now: options.now ?? Date.now,
      },
    });
  }

  start(): void {
    this.supervisor.start();
    this.removal.start();
  }

  /** The partitions that this process has now. */
  partitions(): Iterable<PartitionProjector> {
    return this.supervisor.partitions();
  }

  /** What is being repeated because an engine does not take it, and why; undefined when all goes well. */
  get complaint(): string | undefined {
    return this.retry.complaint;
  }

  /**
   * Saves and commits what has been read, takes nothing more, leaves the groups. What cannot be saved within the time is
   * read again by whoever comes next.
   */
  async close(flushMs: number): Promise<void> {
    await this.shutdown.within(flushMs, (givenUp) => this.supervisor.close(givenUp));
    this.saver.abandon();
    await this.removal.stop();
  }
}
