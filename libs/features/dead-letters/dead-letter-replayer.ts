import { createHash } from 'node:crypto';
import { entityHash } from '#event';
import { erasureName, type Actor, type Definitions, type Erasure } from '#registry';
import type { StoredDeadLetter, AuthorizationScope } from '#store';
import type { ReplayAnswer } from './dead-letter-answers.js';
import type { ReplaySelection } from './dead-letter-parameters.js';

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
    deadLetters: readonly StoredDeadLetter[],
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncIterable<readonly string[]>;
}

/** Limit of records in flight to Kafka. One record may have some megabytes. */
export const maxInFlight = 8;

/** Why a dead letter of an erased entity is not replayed. */
export const erasedReason = 'its entity has been erased';

/** Returns the erasure that covers a dead letter of this entity; undefined when none does. */
export function erasureCovering(
  definitions: Pick<Definitions, 'stream' | 'erasures'>,
  { stream, partition, offset }: StoredDeadLetter,
  entityId: string | null,
): Erasure | undefined {
  const id = definitions.stream(stream)?.id;
  if (entityId === null || id === undefined) return undefined;
  const name = erasureName({ stream: id, entity_hash: entityHash(stream, entityId) });
  const erasure = definitions.erasures.get(name);
  return erasure && offset < (erasure.before[String(partition)] ?? 0) ? erasure : undefined;
}

/**
 * Returns the event id of a replay, derived from the dead letter alone, so a second replay yields the same event: a
 * UUID of version 8 (RFC 9562), whose bits the application defines.
 */
export function replayId({ id, event }: StoredDeadLetter): string {
  const hex = createHash('sha256').update(id).update('\n').update(event).digest('hex');
  const [a, b, c, d, e] = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map((ends) => hex.slice(...ends));
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
