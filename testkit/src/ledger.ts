import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { fdatasync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * The outcome of one request for one event: `ok` acknowledged; `failed` certainly not written (4xx); `unknown` any
 * other answer (5xx, time-out, reset).
 */
export type RequestOutcome = 'ok' | 'failed' | 'unknown';

/** One answer for one event. */
export interface LedgerLine {
  event_id: string;
  stream: string;
  entity_id: string | null;
  /** 1, 2, 3 … in the order of sending, for each stream and entity. */
  sequence: number;
  /** `hashOf` of the event that was sent. */
  hash: string;
  outcome: RequestOutcome;
  partition?: number;
  offset?: number;
  /** The reason of an outcome other than `ok`, for the report of a failed run. */
  reason?: string;
}

/** The combined knowledge about one event after all its answers. */
export interface LedgerEntry extends LedgerLine {
  /** The number of requests that contained the event. */
  attempts: number;
}

const writeTo = promisify<number, string, void>((fd, text, done) => write(fd, text, (error) => done(error)));
const sync = promisify(fdatasync);

/**
 * An append-only record of sent events and their answers: one JSON line for each answer. A line counts only when it
 * is on the disk (fdatasync, many lines at a time). A later run of the same test can read the lines of an earlier
 * one.
 */
export class Ledger {
  private readonly known = new Map<string, LedgerEntry>();
  private waiting: { line: LedgerLine; resolve: () => void; reject: (error: unknown) => void }[] = [];
  private flushing: Promise<void> | undefined;

  private constructor(
    readonly path: string,
    private readonly fd: number,
  ) {}

  /** Opens the ledger with its existing lines. Without a path: creates a new file in the system's temporary folder. */
  static open(path: string = join(tmpdir(), `tributary-ledger-${randomUUID()}.ndjson`)): Ledger {
    const ledger = new Ledger(path, openSync(path, 'a+'));
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      ledger.learn(JSON.parse(line) as LedgerLine);
    }
    return ledger;
  }

  /** Resolves when the line is on the disk; only then `entries` contains it. */
  record(line: LedgerLine): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ line, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  entries(): LedgerEntry[] {
    return [...this.known.values()];
  }

  count(outcome: RequestOutcome): number {
    return this.entries().filter((entry) => entry.outcome === outcome).length;
  }

  async close(): Promise<void> {
    await this.flushing;
    closeSync(this.fd);
  }

  /** Closes the ledger and removes its file, after a correct run. */
  async discard(): Promise<void> {
    await this.close();
    rmSync(this.path);
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      try {
        await writeTo(this.fd, group.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
        await sync(this.fd);
        for (const { line, resolve } of group) {
          this.learn(line);
          resolve();
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.flushing = undefined;
  }

  /**
   * Applies a line. `ok` is final. A `failed` after an `unknown` proves nothing, because the first request may have
   * written the event.
   */
  private learn(line: LedgerLine): void {
    const before = this.known.get(line.event_id);
    const attempts = (before?.attempts ?? 0) + 1;
    if (before?.outcome === 'ok') this.known.set(line.event_id, { ...before, attempts });
    else if (before?.outcome === 'unknown' && line.outcome === 'failed')
      this.known.set(line.event_id, { ...line, outcome: 'unknown', attempts });
    else this.known.set(line.event_id, { ...line, attempts });
  }
}
