import { setImmediate as nextTurn } from 'node:timers/promises';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { UsageError } from '../errors/cli-error.js';

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
      if (file) {
        // A closed output is reported within an iteration of the event loop, and its last write did not arrive.
        await nextTurn();
        signal.throwIfAborted();
      }
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

/** Milliseconds between two writes of the file while events arrive. */
const everyMs = 1000;

/** A file in which `tributary tail` saves its position, so that a later run continues there. */
export class PositionFile {
  private last: string | undefined;
  private saved: string | undefined;
  private savedAt = -Infinity;
  /** Writes run one after the other, because they share a temporary file. */
  private saving: Promise<void> = Promise.resolve();

  constructor(private readonly file: string) {}

  /** Returns the position; undefined without a file. @throws UsageError if the file has no complete position */
  async read(): Promise<string | undefined> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new UsageError(`${this.file} cannot be read: ${error.message}`);
    });
    if (text === undefined || /^[\x21-\x7e]+\r?\n$/.test(text)) return text?.trim();
    throw new UsageError(
      `${this.file} ${text === '' ? 'is empty' : 'is damaged: it contains no position'}. Remove it to begin with new events, or after --since.`,
    );
  }

  /** Sets the position. The file is written each second, and by `save`. */
  async move(position: string): Promise<void> {
    this.last = position;
    if (performance.now() - this.savedAt >= everyMs) await this.save();
  }

  /** Writes the last position. After a crash the file has the old or the new position. */
  save(): Promise<void> {
    this.saving = this.saving.catch(() => undefined).then(() => this.write());
    return this.saving;
  }

  private async write(): Promise<void> {
    const position = this.last;
    if (position === undefined || position === this.saved) return;
    await replace(this.file, `${position}\n`);
    this.saved = position;
    this.savedAt = performance.now();
  }
}

/** Replaces the file atomically. @throws UsageError */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    // Without the flush, the rename could reach the disk before the text.
    await writeFile(draft, text, { flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
