import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writes to a stream, and waits where its reader is slower. */
export class Pipe {
  constructor(
    private readonly stream: Writable,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves when there is room for more. @throws the reason of the signal, `BrokenPipeError` for example */
  async write(piece: string | Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    if (piece.length === 0 || this.stream.write(piece)) return;
    await once(this.stream, 'drain', { signal: this.signal }).catch(() => this.signal.throwIfAborted());
  }
}
