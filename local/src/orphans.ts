import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './process-identity.js';

/**
 * The processes that belong to a data folder, in a file beside the data. When the process that started them is killed,
 * they are told by their standard input and stop by themselves; whoever starts next waits for that, and helps.
 */
export class ProcessRecord {
  private readonly file: string;
  private writing = Promise.resolve();

  constructor(folder: string) {
    this.file = join(folder, 'processes.json');
  }

  /** Keeps which processes there are now. */
  async write(pids: number[]): Promise<void> {
    const identities = (await Promise.all(pids.map(identify))).filter((one) => one !== undefined);
    this.writing = this.writing.then(() => this.replace(JSON.stringify(identities)));
    await this.writing;
  }

  /** At once, so that nobody reads half of it, also when this process is killed meanwhile. */
  private async replace(text: string): Promise<void> {
    const draft = `${this.file}.draft`;
    await writeFile(draft, text);
    await rename(draft, this.file);
  }

  /** Those of the record that still run: the very same processes, not others with their numbers. */
  async remaining(): Promise<ProcessIdentity[]> {
    const recorded = await this.read();
    const alive = await Promise.all(recorded.map(isRunning));
    return recorded.filter((_, i) => alive[i]);
  }

  /**
   * Ends what is left from an earlier run: waits for it to end by itself, then asks, then forces.
   * @returns how many there were.
   */
  async endRemaining(patienceMs = 5_000): Promise<number> {
    const found = await this.remaining();
    if (await this.ended(patienceMs)) return found.length;
    await this.signal('SIGTERM');
    if (await this.ended(3 * patienceMs)) return found.length;
    await this.signal('SIGKILL');
    await this.ended(patienceMs);
    return found.length;
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    for (const { pid } of await this.remaining()) {
      try {
        process.kill(pid, signal);
        // One that is paused hears nothing but SIGKILL.
        if (signal === 'SIGTERM') process.kill(pid, 'SIGCONT');
      } catch {
        // It has ended meanwhile.
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
