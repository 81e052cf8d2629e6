import { parseTime } from '#event';
import type { Definitions, StreamDefinition } from '#registry';
import type { EventEraser } from '#store';
import type { Chore } from './chore.js';

export interface LateRowsParts {
  definitions: Pick<Definitions, 'start' | 'stream' | 'streams' | 'onChange'>;
  eraser: Pick<EventEraser, 'dropStream'>;
  /** Milliseconds since 1970. */
  now: () => number;
}

interface Gone {
  /** When it was seen that the stream is being deleted, or that another one has its name. */
  at: number;
  /** Its age when its rows were last removed; 0 before that. */
  done: number;
}

/** After a day nobody still holds what was read before. */
const repeatedForMs = 24 * 3_600_000;
/** Clocks of those who write events may differ by so much. */
const clocksMs = 60_000;
/** An event that makes its stream is ingested so long before that at most, but for a few. */
const creationMs = 1_000;
const mostRemembered = 10_000;
/** Repeated in one go; the others have their turn the next time. */
const most = 100;

/**
 * Removes what comes back of streams that were deleted. An insert that was under way, or is held by a process that was
 * stopped for a while, may reach the store when the stream's rows have been removed already. Each removal is repeated
 * every time that it has become twice as old, for a day. Only streams that this process has seen go: rows of a name that
 * nobody knows may be all that is left of a log that was lost.
 */
export class LateRows {
  private live = new Map<string, string>();
  private readonly gone = new Map<string, Gone>();
  private readonly stopListening: () => void;

  constructor(private readonly parts: LateRowsParts) {
    this.look();
    this.stopListening = parts.definitions.onChange(() => this.look());
  }

  /** @param now Milliseconds since 1970. */
  due(now: number): Chore[] {
    for (const [stream, { at }] of this.gone) if (now - at >= repeatedForMs) this.gone.delete(stream);
    return [...this.gone]
      .filter(([stream, { at, done }]) => now - at >= 2 * done && !this.isDeleting(stream))
      .slice(0, most)
      .map(([stream, gone]) => ({ reason: 'late', stream, run: () => this.remove(stream, gone) }));
  }

  close(): void {
    this.stopListening();
  }

  private look(): void {
    const { definitions, now } = this.parts;
    const live = new Map<string, string>();
    for (const { stream, state, created_at } of definitions.streams())
      if (state === 'live') live.set(stream, created_at);
    for (const [stream, createdAt] of this.live) if (live.get(stream) !== createdAt) this.note(stream, now());
    this.live = live;
  }

  private note(stream: string, at: number): void {
    this.gone.delete(stream);
    this.gone.set(stream, { at, done: 0 });
    if (this.gone.size <= mostRemembered) return;
    const [oldest] = this.gone.keys();
    this.gone.delete(oldest!);
  }

  private async remove(stream: string, gone: Gone): Promise<number> {
    const { definitions, eraser, now } = this.parts;
    const asked = now();
    // Whoever has the name now is known from here on.
    await definitions.start();
    if (this.isDeleting(stream) || this.gone.get(stream) !== gone) return 0;
    const next = definitions.stream(stream);
    const before = next ? Math.min(gone.at, beginningOf(next)) : Math.max(gone.at, asked - clocksMs);
    await eraser.dropStream({ stream, before: before * 1000 });
    gone.done = Math.max(asked - gone.at, 1);
    return 0;
  }

  private isDeleting(stream: string): boolean {
    return this.parts.definitions.stream(stream)?.state === 'deleting';
  }
}

/** When the first event of a stream may have been ingested: that a deletion was seen late says nothing about it. */
function beginningOf({ created_at }: StreamDefinition): number {
  return (parseTime(created_at) ?? 0) / 1000 - creationMs;
}
