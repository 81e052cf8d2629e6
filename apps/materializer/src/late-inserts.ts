import { erasureName, type Definitions, type Erasure } from '#registry';
import type { EventEraser } from '#store';
import { metrics, type Logger } from '#telemetry';

export interface LateInsertsOptions {
  definitions: Pick<Definitions, 'erasures' | 'onChange'>;
  eraser: Pick<EventEraser, 'eraseEntity'>;
  logger: Logger;
  /** Milliseconds from a change of the definitions until it is looked at: many come together. */
  pauseMs?: number;
  /** Milliseconds, by a clock that is never set: it goes on while the process is stopped. */
  now?: () => number;
}

/** An insert that ended so long before an erasure was heard of had ended before it was made, unless reading hangs. */
const lateMs = 10_000;
/** Erasures that wait for their turn; the janitor repeats the others in its next round. */
const most = 1_000;

/**
 * Repeats erasures that this process heard of while it was storing events of their stream, or shortly after that: what it
 * stored then may have come after the removal. A process that was stopped hears of them late.
 */
export class LateInserts {
  /** Those that were looked at; undefined before the first look. */
  private seen: ReadonlySet<string> | undefined;
  private readonly running = new Set<string>();
  private readonly ended = new Map<string, number>();
  private waiting: Erasure[] = [];
  private timer: NodeJS.Timeout | undefined;
  private removing = false;
  private closed = false;
  private readonly stopListening: () => void;

  constructor(private readonly options: LateInsertsOptions) {
    this.stopListening = options.definitions.onChange(() => {
      this.timer ??= setTimeout(() => this.look(), options.pauseMs ?? 50);
    });
  }

  /** One insert at a time. */
  begin(streams: ReadonlySet<string>): void {
    if (!this.seen) this.look();
    for (const stream of streams) this.running.add(stream);
  }

  end(streams: ReadonlySet<string>): void {
    this.running.clear();
    this.forgetOld();
    for (const stream of streams) this.ended.set(stream, this.now());
    void this.remove();
  }

  close(): void {
    this.closed = true;
    this.stopListening();
    clearTimeout(this.timer);
  }

  private look(): void {
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

  /** Those of streams that nothing is being stored of. What fails is left to the janitor. */
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
      metrics.removedEvents.inc({ reason: 'erased' }, events);
    } catch (error) {
      metrics.removalErrors.inc({ reason: 'erased' });
      logger.warn(
        { err: error, stream },
        'an erasure cannot be repeated now: the janitor does it in its next round',
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

/** A later erasure of the same entity is another one. */
function keyOf(erasure: Erasure): string {
  return `${erasureName(erasure)} ${erasure.erased_at}`;
}
