import { open, rm, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../errors/cli-error.js';

/** A new file that only its owner can read, for the keys that are issued. Without any, there is no file in the end. */
export class KeyFile {
  private isEmpty = true;

  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws UsageError where the file is there already: it may hold other keys */
  static async create(file: string): Promise<KeyFile> {
    try {
      return new KeyFile(file, await open(file, 'wx', 0o600));
    } catch (error) {
      throw new UsageError(`The file for keys cannot be made: ${(error as Error).message}`);
    }
  }

  async add({ name, key_id, key }: { name: string; key_id: string; key: string }): Promise<void> {
    this.isEmpty = false;
    await this.handle.write(`${JSON.stringify({ name, key_id, key })}\n`);
    await this.handle.sync();
  }

  async close(): Promise<void> {
    await this.handle.close();
    if (this.isEmpty) await rm(this.file, { force: true });
  }
}
