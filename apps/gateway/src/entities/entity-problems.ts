import { ProblemError } from '#api';
import { formatTime, type Micros } from '#event';
import { EntityStateTooLargeError } from '#entities';

/** What goes wrong with the state of an entity, as problems; everything else is passed on. */
export function entityProblem(error: unknown): unknown {
  if (!(error instanceof EntityStateTooLargeError)) return error;
  const detail =
    `The state of the entity passes 1 048 576 characters with version ${error.version}: what it was before can be ` +
    'asked for with as_of, and an event that sets members to null makes it smaller.';
  return new ProblemError('entity_state_too_large', detail, { cause: error });
}

export function noEvents({ stream, asOf }: { stream: string; asOf?: Micros }): ProblemError {
  const when = asOf === undefined ? 'that can be queried' : `up to ${formatTime(asOf)}`;
  return new ProblemError(
    'entity_not_found',
    `There is no event of this entity in the stream ${stream} ${when}.`,
  );
}

export function removedMeanwhile(): ProblemError {
  const detail =
    'Events of the entity were erased, or passed their retention, while the snapshot was made: repeat it.';
  return new ProblemError('snapshot_impossible', detail);
}
