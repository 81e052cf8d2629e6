import type { Actor } from '#registry';
import type { FoundDeadLetter, Permitted } from '#store';
import type { LetterChoice } from './chosen-letters.js';
import type { ReplayAnswer } from './replay-answers.js';

export interface ReplayRequest {
  permitted: Permitted;
  choice: LetterChoice;
  dryRun: boolean;
  /** Of the records that are written. */
  headers: Record<string, string>;
  actor: Actor;
  client: AbortSignal;
}

/** How letters of one kind are replayed. */
export interface ReplayWay {
  /**
   * Notes in the answer what becomes of them, and yields the ids of those that are to be marked. Repeating it does no harm.
   * @throws errors of the log and of the store
   */
  replay(
    letters: readonly FoundDeadLetter[],
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncIterable<readonly string[]>;
}
