import { DurableLineFile } from './durable-line-file.js';

/**
 * The outcome of one request for one event. The outcome `ok` means that the event was acknowledged. The outcome
 * `failed` means that the event was certainly not written (4xx). The outcome `unknown` stands for any other answer
 * (5xx, time-out, reset).
 */
type RequestOutcome = 'ok' | 'failed' | 'unknown';

/** One line of a `Ledger`: an event that was sent, and the outcome of one request for it. */
export interface LedgerLine {
  event_id: string;
  stream: string;
  entity_id: string | null;
  /** Number of the event in the order of sending (1, 2, 3 …), for each stream and entity. */
  sequence: number;
  /** Hash (`hashOf`) of the event that was sent. */
  hash: string;
  outcome: RequestOutcome;
  partition?: number;
  offset?: number;
  /** The reason of an outcome other than `ok`, for the report of a failed run. */
  reason?: string;
}

/** An event of a `Ledger` with its outcome after all requests for it. */
export interface LedgerEntry extends LedgerLine {
  /** Number of requests that contained the event. */
  attempts: number;
}

/**
 * An append-only record of sent events and their answers: one JSON line for each answer. A line counts only when it
 * is on the disk (fdatasync, many lines at a time). A later run of the same test can read the lines of an earlier
 * one.
 */
export class Ledger {
  private readonly known = new Map<string, LedgerEntry>();

  private constructor(private readonly lines: DurableLineFile<LedgerLine>) {}

  /** Opens the ledger with its existing lines. Without a path: creates a new file in the system's temporary folder. */
  static open(path?: string): Ledger {
    const lines = DurableLineFile.open<LedgerLine>('tributary-ledger', path);
    const ledger = new Ledger(lines);
    for (const line of lines.read()) ledger.learn(line);
    return ledger;
  }

  get path(): string {
    return this.lines.path;
  }

  /** Resolves when the line is on the disk; only then `entries` contains the line. */
  async record(line: LedgerLine): Promise<void> {
    await this.lines.append(line);
    this.learn(line);
  }

  entries(): LedgerEntry[] {
    return [...this.known.values()];
  }

  count(outcome: RequestOutcome): number {
    return this.entries().filter((entry) => entry.outcome === outcome).length;
  }

  close(): Promise<void> {
    return this.lines.close();
  }

  /** Closes the ledger and removes its file; called after a correct run. */
  discard(): Promise<void> {
    return this.lines.discard();
  }

  /**
   * Adds a line to the outcome of its event. The outcome `ok` is final. The outcome `failed` after `unknown` proves
   * nothing, because the first request may have written the event.
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
