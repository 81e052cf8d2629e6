import type { Definitions, Erasure } from '#registry';
import type { EventRemover } from '#store';
import type { Logger } from '#telemetry';
import { deletedEvents, deletionErrors } from '../metrics/materializer-metrics.js';
import { keyOf } from './erasure-repeater.js';

interface InsertErasureRepeaterOptions {
  definitions: Pick<Definitions, 'erasures' | 'onChange'>;
  eraser: Pick<EventRemover, 'eraseEntity'>;
  logger: Logger;
  /**
   * Milliseconds from a change of the definitions until new erasures are looked up. Several changes within this time
   * are handled together.
   */
  pauseMs?: number;
  /** Returns milliseconds of a monotonic clock that also advances while the process is suspended. */
  now?: () => number;
}

/**
 * Milliseconds after the end of an insert within which the insert may have stored events of an entity whose erasure
 * this process reads only now. An insert that ended earlier also ended before the erasure was requested, unless reading
 * the definitions hangs.
 */
const lateMs = 10_000;
/**
 * Maximum number of erasures that wait to be repeated. The next round of the store garbage collection repeats all other
 * erasures.
 */
const most = 1_000;

/**
 * Repeats an erasure that this process reads while an insert into the stream is running, or shortly after that insert.
 * An insert during the erasure may have stored events of the entity after the erasure removed the entity's rows. A
 * process that was suspended reads erasures late.
 */
export class InsertErasureRepeater {
  /** The erasures that were looked up before; undefined before the first look-up. */
  private seen: ReadonlySet<string> | undefined;
  /** The number of inserts that are running, by stream. */
  private readonly running = new Map<string, number>();
  private readonly ended = new Map<string, number>();
  private waiting: Erasure[] = [];
  private timer: NodeJS.Timeout | undefined;
  private removing = false;
  private closed = false;
  private readonly stopListening: () => void;

  constructor(private readonly options: InsertErasureRepeaterOptions) {
    this.stopListening = options.definitions.onChange(() => {
      this.timer ??= setTimeout(() => this.findNew(), options.pauseMs ?? 50);
    });
  }

  /** Called when an insert into these streams starts. The inserts into different shards overlap. */
  begin(streams: ReadonlySet<string>): void {
    if (!this.seen) this.findNew();
    for (const stream of streams) this.running.set(stream, (this.running.get(stream) ?? 0) + 1);
  }

  end(streams: ReadonlySet<string>): void {
    this.forgetOld();
    for (const stream of streams) {
      const others = (this.running.get(stream) ?? 1) - 1;
      if (others > 0) this.running.set(stream, others);
      else this.running.delete(stream);
      this.ended.set(stream, this.now());
    }
    void this.remove();
  }

  close(): void {
    this.closed = true;
    this.stopListening();
    clearTimeout(this.timer);
  }

  private findNew(): void {
    this.timer = undefined;
    const { definitions } = this.options;
    this.forgetOld();
    const { seen } = this;
    const all = definitions.erasures.all();
    this.seen = new Set(all.map(keyOf));
    for (const erasure of all) {
      if (seen?.has(keyOf(erasure))) continue;
      const { stream } = erasure;
      const mayBeLate = this.running.has(stream) || this.ended.has(stream);
      if (mayBeLate && this.waiting.length < most) this.waiting.push(erasure);
    }
    void this.remove();
  }

  /**
   * Repeats the waiting erasures of streams that no running insert writes to. If a repetition fails, the store garbage
   * collection repeats the erasure.
   */
  private async remove(): Promise<void> {
    if (this.removing) return;
    this.removing = true;
    for (let erasure = this.next(); erasure; erasure = this.next()) await this.removeOne(erasure);
    this.removing = false;
  }

  private next(): Erasure | undefined {
    if (this.closed) return undefined;
    const index = this.waiting.findIndex(({ stream }) => !this.running.has(stream));
    return index < 0 ? undefined : this.waiting.splice(index, 1)[0];
  }

  private async removeOne(erasure: Erasure): Promise<void> {
    const { eraser, logger } = this.options;
    const { stream, entity_hash: entityHash, before } = erasure;
    try {
      const events = await eraser.eraseEntity({ stream, entityHash, before });
      deletedEvents.inc({ reason: 'erased' }, events);
    } catch (error) {
      deletionErrors.inc({ reason: 'erased' });
      logger.warn(
        { err: error, stream },
        'an erasure could not be repeated; the next round of the store garbage collection repeats it',
      );
    }
  }

  private forgetOld(): void {
    for (const [stream, at] of this.ended) if (this.now() - at >= lateMs) this.ended.delete(stream);
  }

  private now(): number {
    return (this.options.now ?? (() => performance.now()))();
  }
}
