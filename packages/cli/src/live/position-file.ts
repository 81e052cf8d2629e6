import { readFile, rename, writeFile } from 'node:fs/promises';
import { UsageError } from '../errors/cli-error.js';

/** Milliseconds between two writes while events come. */
const everyMs = 1000;

/** A file that keeps how far a stream was followed. */
export class PositionFile {
  private unsaved: string | undefined;
  private savedAt = -Infinity;

  constructor(private readonly file: string) {}

  /** The position, or undefined where there is no file yet. @throws UsageError */
  async read(): Promise<string | undefined> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw new UsageError(`${this.file} cannot be read: ${error.message}`);
    });
    return text.trim() || undefined;
  }

  /** Keeps a position; it is written each second, and by `save`. */
  async move(position: string): Promise<void> {
    this.unsaved = position;
    if (performance.now() - this.savedAt >= everyMs) await this.save();
  }

  /** Writes the last position. A crash leaves the old file or the new one. */
  async save(): Promise<void> {
    if (this.unsaved === undefined) return;
    const draft = `${this.file}.${process.pid}`;
    try {
      await writeFile(draft, `${this.unsaved}\n`);
      await rename(draft, this.file);
    } catch (error) {
      throw new UsageError(`${this.file} cannot be written: ${(error as Error).message}`);
    }
    this.unsaved = undefined;
    this.savedAt = performance.now();
  }
}
