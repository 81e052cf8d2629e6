import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writes to a stream with back-pressure. Data written after the stream was closed is discarded. */
export class OutputPipe {
  constructor(
    private readonly stream: Writable,
    private readonly signal: AbortSignal,
    private readonly closed: AbortSignal = new AbortController().signal,
  ) {}

  /** Resolves when there is room for more. @throws the reason of the signal, for example `BrokenPipeError` */
  async write(piece: string | Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    if (piece.length === 0 || this.closed.aborted || this.stream.write(piece)) return;
    const signal = AbortSignal.any([this.signal, this.closed]);
    await once(this.stream, 'drain', { signal }).catch(() => this.signal.throwIfAborted());
  }
}
