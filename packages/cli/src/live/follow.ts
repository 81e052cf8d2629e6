import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PositionFile } from './position-file.js';

/** Milliseconds between two reads of the position while no item arrives. */
const lookEveryMs = 250;

/** A live stream whose `position` a later stream can continue from. */
export interface LiveStreamWithPosition<T> extends AsyncIterable<T> {
  readonly position: string | undefined;
}

/** The live stream to follow, where to save its position, and when to end. */
interface FollowOptions<T> {
  /** Opens the stream, which ends when this signal is aborted. */
  open: (signal: AbortSignal) => LiveStreamWithPosition<T>;
  signal: AbortSignal;
  /** The file where the position is saved. */
  file?: PositionFile;
  /** The stream ends after this number of items. */
  most: number;
}

/**
 * Yields the items of a live stream. Saves the position after an item was written to the output, and also while no item
 * arrives: an item that was not written is read again after a restart.
 */
export async function* follow<T>({ open, signal, file, most }: FollowOptions<T>): AsyncGenerator<T> {
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

/** Waits for an iteration of the event loop: a closed output is reported then, and its last write did not arrive. */
async function untilTold(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
