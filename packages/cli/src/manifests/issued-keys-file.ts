import { open, rm, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../errors/cli-error.js';

/** A new file for issued keys that only its owner can read. The file is removed if no key is issued. */
export class IssuedKeysFile {
  private isEmpty = true;

  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
  ) {}

  /** Creates the file. @throws UsageError if the file exists: it may contain other keys */
  static async create(file: string): Promise<IssuedKeysFile> {
    try {
      return new IssuedKeysFile(file, await open(file, 'wx', 0o600));
    } catch (error) {
      throw new UsageError(`The file for keys cannot be created: ${(error as Error).message}`);
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
