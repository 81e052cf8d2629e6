import type { ObservedEvent } from '../checker.js';
import { SyncedLines } from '../synced-lines.js';
import type { Attempt, AttemptAnswer, AttemptedWrite } from './attempt.js';

/** One line of the file. Numbers of attempts are unique within a file. */
type HistoryLine = { seed: number } | InvokeLine | ReturnLine | { stored: ObservedEvent };
type InvokeLine = { invoke: number; at: number } & AttemptedWrite;
type ReturnLine = { return: number; invoked: number; at: number } & AttemptAnswer;

/** Writes the answer of one invoked attempt; resolves with the complete attempt. */
export type RecordReturn = (answer: AttemptAnswer) => Promise<Attempt>;

/**
 * The history of a run, written to a file as it happens: a line before each request is sent, a line after its answer, and
 * in the end the events that were read back. `readHistory` reads such a file, so the check of a run can be repeated.
 */
export class AttemptHistory {
  private readonly done: Attempt[] = [];
  private invocations = 0;

  private constructor(private readonly lines: SyncedLines<HistoryLine>) {}

  /** Creates the file in the system's temporary folder, or at the path. */
  static async open(seed: number, path?: string): Promise<AttemptHistory> {
    const lines = SyncedLines.open<HistoryLine>('tributary-attempts', path);
    await lines.append({ seed });
    return new AttemptHistory(lines);
  }

  get path(): string {
    return this.lines.path;
  }

  /** The attempts with an answer on the disk. */
  get attempts(): readonly Attempt[] {
    return this.done;
  }

  /** Resolves when the invocation is on the disk. The caller sends the request at once. */
  async invoke(attempted: AttemptedWrite): Promise<RecordReturn> {
    const number = ++this.invocations;
    await this.lines.append({ invoke: number, at: performance.now(), ...attempted });
    // The disk took some milliseconds: a later time makes the check stricter.
    const invoked = performance.now();
    return async (answer) => {
      const returned = performance.now();
      await this.lines.append({ return: number, invoked, at: returned, ...answer });
      const attempt: Attempt = { ...attempted, ...answer, invoked, returned };
      this.done.push(attempt);
      return attempt;
    };
  }

  /** Appends what was read back. */
  async keepStored(events: readonly ObservedEvent[]): Promise<void> {
    await Promise.all(events.map((stored) => this.lines.append({ stored })));
  }

  close(): Promise<void> {
    return this.lines.close();
  }

  /** Closes the history and removes its file, after a correct run. */
  discard(): Promise<void> {
    return this.lines.discard();
  }
}

/** Reads a file of `AttemptHistory`. An attempt without an answer, for example after a crash of the test, is `unknown`. */
export async function readHistory(path: string): Promise<{ attempts: Attempt[]; stored: ObservedEvent[] }> {
  const file = SyncedLines.open<HistoryLine>('tributary-attempts', path);
  const lines = file.read();
  await file.close();
  const returns = new Map(lines.flatMap((line) => ('return' in line ? [[line.return, line]] : [])));
  return {
    attempts: lines.flatMap((line) => ('invoke' in line ? [attemptOf(line, returns.get(line.invoke))] : [])),
    stored: lines.flatMap((line) => ('stored' in line ? [line.stored] : [])),
  };
}

function attemptOf({ invoke: _, at, ...attempted }: InvokeLine, end: ReturnLine | undefined): Attempt {
  if (!end) return { ...attempted, outcome: 'unknown', reason: 'no answer', invoked: at, returned: Infinity };
  const { return: __, at: returned, ...answer } = end;
  return { ...attempted, ...answer, returned };
}
