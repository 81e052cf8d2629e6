import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './process-identity.js';

/**
 * Records the ids of the processes that use a data folder in a file beside the data. When the process that started them
 * is killed, their standard input closes and they stop by themselves. The next start waits for that, and ends those
 * that do not stop.
 */
export class ProcessListFile {
  private readonly file: string;
  private writing = Promise.resolve();

  constructor(folder: string) {
    this.file = join(folder, 'processes.json');
  }

  /**
   * Replaces the recorded processes by those with these ids. The file is replaced atomically, so that no process reads a
   * part of it, even if this process is killed meanwhile.
   */
  async write(pids: number[]): Promise<void> {
    this.writing = this.writing.then(async () => {
      const identities = (await Promise.all(pids.map(identify))).filter((one) => one !== undefined);
      const draft = `${this.file}.draft`;
      await writeFile(draft, JSON.stringify(identities));
      await rename(draft, this.file);
    });
    await this.writing;
  }

  /** Resolves when the last call of `write` has ended. */
  async written(): Promise<void> {
    await this.writing.catch(() => undefined);
  }

  /** Returns the recorded processes that still run. A process that reuses a recorded id is not among them. */
  async remaining(): Promise<ProcessIdentity[]> {
    const recorded = await this.read();
    const alive = await Promise.all(recorded.map(isRunning));
    return recorded.filter((_, i) => alive[i]);
  }

  /**
   * Ends the processes that remain from an earlier start: waits for them to stop by themselves, then sends SIGTERM,
   * then SIGKILL.
   * @returns their number.
   */
  async endRemaining(patienceMs = 5_000): Promise<number> {
    const found = await this.remaining();
    if (!(await this.ended(patienceMs))) await this.signal('SIGTERM');
    if (!(await this.ended(3 * patienceMs))) await this.signal('SIGKILL');
    await this.ended(patienceMs);
    return found.length;
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    for (const { pid } of await this.remaining()) {
      try {
        process.kill(pid, signal);
        // A paused process reacts only to SIGKILL and SIGCONT.
        if (signal === 'SIGTERM') process.kill(pid, 'SIGCONT');
      } catch {
        // The process has ended meanwhile.
      }
    }
  }

  private async ended(withinMs: number): Promise<boolean> {
    const deadline = Date.now() + withinMs;
    while ((await this.remaining()).length > 0) {
      if (Date.now() > deadline) return false;
      await sleep(50);
    }
    return true;
  }

  private async read(): Promise<ProcessIdentity[]> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8')) as ProcessIdentity[];
    } catch {
      return [];
    }
  }
}
