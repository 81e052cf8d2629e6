import { setTimeout as sleep } from 'node:timers/promises';
import { auditStream } from '#api';
import { streamName } from '#event';
import type { Definitions } from '#registry';
import { storeMayReturn, type EventEraser } from '#store';
import { metrics, type Logger } from '#telemetry';
import type { Chore } from './chore.js';
import { ErasureRepeats } from './erasure-repeats.js';
import { LeftDeletions } from './left-deletions.js';
import { retentionChores, type RetentionParts } from './retention.js';

/** How often it is looked for deletions that somebody has left, at least. */
const longestPauseMs = 60_000;
/** Writing anew what holds removed rows costs as much as there is of it. */
const purgeEveryMs = 3_600_000;
const stopMs = 2_000;
/** At the start the partitions are still being given out. */
const firstPauseMs = 10_000;

export interface JanitorOptions extends RetentionParts {
  definitions: Pick<Definitions, 'streams' | 'erasures' | 'finishDeletion'>;
  eraser: EventEraser;
  /** Whether this process has the stream's first partition: of all materializers, that one takes care of the stream. */
  holds: (stream: string) => boolean;
  logger: Logger;
  /** Between two rounds over all streams. */
  intervalMs: number;
}

/**
 * Takes out of the store what must not be there any more: what is past its stream's retention, what comes back of erased
 * entities and of deleted streams, what is left of these. It goes from one thing to the next, beside the materializing: what fails is
 * said, counted, and tried again in the next round.
 */
export class Janitor {
  private readonly repeats: ErasureRepeats;
  private readonly deletions: LeftDeletions;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;
  private roundAt = -Infinity;
  private purgedAt = -Infinity;

  constructor(private readonly options: JanitorOptions) {
    const { eraser, definitions } = options;
    this.repeats = new ErasureRepeats(eraser);
    this.deletions = new LeftDeletions(definitions, eraser);
  }

  start(): void {
    this.schedule(firstPauseMs);
  }

  /** Begins nothing more; resolves when what is under way is over, or takes too long: it can be cut off anywhere. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const patience = new AbortController();
    const late = sleep(stopMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([this.running, late]);
    patience.abort();
  }

  /** Does what is due now. Never rejects. */
  sweep(): Promise<void> {
    this.running = this.doWhatIsDue();
    return this.running;
  }

  private async doWhatIsDue(): Promise<void> {
    const now = this.options.now();
    if (this.options.holds(auditStream))
      for (const chore of this.deletions.due(now)) if (!(await this.done(chore))) return;
    if (now - this.roundAt < this.options.intervalMs) return;
    for (const chore of this.round(now)) if (!(await this.done(chore))) return;
    this.roundAt = now;
  }

  private *round(now: number): Generator<Chore> {
    const { definitions, holds } = this.options;
    for (const stream of definitions.streams())
      if (stream.state === 'live' && holds(stream.stream)) yield* retentionChores(stream, this.options);
    yield* this.repeats.due(
      definitions.erasures.all().filter(({ stream }) => holds(streamName(stream))),
      now,
    );
    if (!holds(auditStream) || now - this.purgedAt < purgeEveryMs) return;
    yield { reason: 'late', stream: '', run: () => this.removeLate() };
    yield this.purge(now);
  }

  /** Late rows are in no answer, so they can wait. */
  private async removeLate(): Promise<number> {
    // It counts streams; the events in them nobody has counted.
    await this.options.eraser.removeLate();
    return 0;
  }

  private purge(now: number): Chore {
    const run = async (): Promise<number> => {
      await this.options.eraser.purge();
      this.purgedAt = now;
      return 0;
    };
    return { reason: 'purge', stream: '', run };
  }

  /** False when there is no use in going on with others now. */
  private async done({ reason, stream, run }: Chore): Promise<boolean> {
    if (this.stopped) return false;
    const { logger } = this.options;
    try {
      const events = await run();
      metrics.removedEvents.inc({ reason }, events);
      if (events > 0 || reason === 'deleted') logger.info({ stream, reason, events }, 'removed');
      return true;
    } catch (error) {
      metrics.removalErrors.inc({ reason });
      logger.warn({ err: error, stream, reason }, 'cannot be removed now: trying again later');
      return !storeMayReturn(error);
    }
  }

  private schedule(ms: number): void {
    this.timer = setTimeout(() => {
      void this.sweep().then(() => {
        if (!this.stopped) this.schedule(Math.min(longestPauseMs, this.options.intervalMs));
      });
    }, ms);
    this.timer.unref();
  }
}
