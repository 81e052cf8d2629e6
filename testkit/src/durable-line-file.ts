import { randomUUID } from 'node:crypto';
import { closeSync, fdatasync, openSync, readFileSync, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const writeTo = promisify<number, string, void>((fd, text, done) => write(fd, text, (error) => done(error)));
const sync = promisify(fdatasync);

interface WaitingLine {
  text: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** An append-only file of JSON lines. A line counts only when it is on the disk (fdatasync, many lines at a time). */
export class DurableLineFile<Line> {
  private waiting: WaitingLine[] = [];
  private flushing: Promise<void> | undefined;

  private constructor(
    readonly path: string,
    private readonly fd: number,
  ) {}

  /** Opens the file at the given path for appending; by default, a new file in the system's temporary folder. */
  static open<Line>(
    name: string,
    path = join(tmpdir(), `${name}-${randomUUID()}.ndjson`),
  ): DurableLineFile<Line> {
    return new DurableLineFile<Line>(path, openSync(path, 'a+'));
  }

  /** Returns the lines that are in the file. */
  read(): Line[] {
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Line);
  }

  /** Resolves when the line is on the disk. Lines are written in the order of the calls. */
  append(line: Line): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ text: `${JSON.stringify(line)}\n`, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  async close(): Promise<void> {
    await this.flushing;
    closeSync(this.fd);
  }

  /** Closes the file and removes it; called after a correct run. */
  async discard(): Promise<void> {
    await this.close();
    rmSync(this.path);
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      try {
        await writeTo(this.fd, group.map(({ text }) => text).join(''));
        await sync(this.fd);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.flushing = undefined;
  }
}
