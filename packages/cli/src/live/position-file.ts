import { open, readFile, rename, rm } from 'node:fs/promises';
import { UsageError } from '../errors/cli-error.js';

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
    await writeThrough(draft, text);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

/** Returns when the text is on the disk: otherwise the rename could reach the disk first. */
async function writeThrough(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
