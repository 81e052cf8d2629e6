import type { ObservedEvent } from '../checker.js';
import { DurableLineFile } from '../durable-line-file.js';
import type { Attempt, AttemptAnswer, AttemptRequest } from './attempt.js';

/** One line of the history file. Each attempt has a number that is unique within the file. */
type HistoryLine = { seed: number } | InvokeLine | ReturnLine | { stored: ObservedEvent };
type InvokeLine = { invoke: number; at: number } & AttemptRequest;
type ReturnLine = { return: number; invoked: number; at: number } & AttemptAnswer;

/** Writes the answer of one invoked attempt to the history; resolves with the complete attempt. */
type AttemptAnswerRecorder = (answer: AttemptAnswer) => Promise<Attempt>;

/**
 * The history of a run of conditional writes, written to a file while the run proceeds: a line before each request is
 * sent, a line after each answer, and at the end the events that were read back. `readHistory` reads such a file, so
 * the check of a run can be repeated.
 */
export class AttemptHistory {
  private readonly done: Attempt[] = [];
  private invocations = 0;

  private constructor(private readonly lines: DurableLineFile<HistoryLine>) {}

  /** Creates the history file at the given path, by default in the system's temporary folder. */
  static async open(seed: number, path?: string): Promise<AttemptHistory> {
    const lines = DurableLineFile.open<HistoryLine>('tributary-attempts', path);
    await lines.append({ seed });
    return new AttemptHistory(lines);
  }

  get path(): string {
    return this.lines.path;
  }

  /** The attempts whose answer is in the history file. */
  get attempts(): readonly Attempt[] {
    return this.done;
  }

  /** Resolves when the line for the request is on the disk. The caller then sends the request at once. */
  async invoke(attempted: AttemptRequest): Promise<AttemptAnswerRecorder> {
    const number = ++this.invocations;
    await this.lines.append({ invoke: number, at: performance.now(), ...attempted });
    // The time is taken after the line is on the disk, which takes some milliseconds: a later time makes the check
    // stricter.
    const invoked = performance.now();
    return async (answer) => {
      const returned = performance.now();
      await this.lines.append({ return: number, invoked, at: returned, ...answer });
      const attempt: Attempt = { ...attempted, ...answer, invoked, returned };
      this.done.push(attempt);
      return attempt;
    };
  }

  /** Appends the events that were read back to the history file. */
  async keepStored(events: readonly ObservedEvent[]): Promise<void> {
    await Promise.all(events.map((stored) => this.lines.append({ stored })));
  }

  close(): Promise<void> {
    return this.lines.close();
  }

  /** Closes the history and removes its file; called after a correct run. */
  discard(): Promise<void> {
    return this.lines.discard();
  }
}

/**
 * Reads a file that `AttemptHistory` has written. An attempt without an answer in the file, for example after a crash
 * of the test, has the outcome `unknown`.
 */
export async function readHistory(path: string): Promise<{ attempts: Attempt[]; stored: ObservedEvent[] }> {
  const file = DurableLineFile.open<HistoryLine>('tributary-attempts', path);
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
