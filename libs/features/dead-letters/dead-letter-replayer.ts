import type { Actor } from '#registry';
import type { StoredDeadLetter, AuthorizationScope } from '#store';
import type { ReplaySelection } from './selected-dead-letters.js';
import type { ReplayAnswer } from './replay-answers.js';

/** A request to replay selected dead letters, with its caller. */
export interface ReplayRequest {
  permitted: AuthorizationScope;
  choice: ReplaySelection;
  dryRun: boolean;
  /** Headers of the records that are written. */
  headers: Record<string, string>;
  actor: Actor;
  client: AbortSignal;
}

/** Replays either the dead letters of pipelines or those of the materializer. */
export interface DeadLetterReplayer {
  /**
   * Adds the results to the answer, and yields the ids of dead letters to mark as replayed. Repeating a replay is safe.
   * @throws errors of the log and of the store
   */
  replay(
    letters: readonly StoredDeadLetter[],
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncIterable<readonly string[]>;
}
