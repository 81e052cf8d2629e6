import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PositionFile } from './position-file.js';

/** Milliseconds between two looks at the position while nothing comes. */
const lookEveryMs = 250;

/** A stream that tells how far it is. */
export interface Positioned<T> extends AsyncIterable<T> {
  readonly position: string | undefined;
}

export interface FollowOptions<T> {
  /** Opens the stream, which ends with this signal. */
  open: (signal: AbortSignal) => Positioned<T>;
  signal: AbortSignal;
  /** Where the position is kept. */
  file?: PositionFile;
  /** Ends after so many items. */
  most: number;
}

/** The items of a stream. The position moves when the item before was written, and also while none comes. */
export async function* followed<T>({ open, signal, file, most }: FollowOptions<T>): AsyncGenerator<T> {
  const failed = new AbortController();
  const stream = open(AbortSignal.any([signal, failed.signal]));
  let written = true;
  const keep = async () => {
    if (written && stream.position !== undefined) await file?.move(stream.position);
  };
  const timer = setInterval(() => void keep().catch((error) => failed.abort(error)), lookEveryMs);
  let left = most;
  try {
    for await (const item of stream) {
      written = false;
      yield item;
      if (file) await untilTold(signal);
      written = true;
      await keep();
      if (--left === 0) return;
    }
  } finally {
    clearInterval(timer);
    await keep();
    await file?.save();
  }
}

/** An output that was closed tells so in the next turn: what was written last did not arrive. */
async function untilTold(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
