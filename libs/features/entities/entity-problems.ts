import { defineProblems, ProblemError } from '#api';
import { formatTime, type EpochMicros } from '#json';
import { EntityStateTooLargeError } from '#features/entities/state';

export const entityProblems = defineProblems({
  entity_not_found: { status: 404, title: 'There is no such entity' },
  snapshot_impossible: { status: 409, title: 'The entity has no state for a snapshot' },
  entity_state_too_large: { status: 422, title: 'The state of the entity is too large' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof entityProblems> {}
}

/** Maps an error of an entity's state to a problem; returns any other error unchanged. */
export function entityProblem(error: unknown): unknown {
  if (!(error instanceof EntityStateTooLargeError)) return error;
  const detail =
    `The state of the entity exceeds 1 048 576 characters at version ${error.version}. Its earlier state is available ` +
    'with as_of; an event that sets members to null makes the state smaller.';
  return new ProblemError('entity_state_too_large', detail, { cause: error });
}

export function noEventsProblem({ stream, asOf }: { stream: string; asOf?: EpochMicros }): ProblemError {
  const when = asOf === undefined ? 'that can be queried' : `up to ${formatTime(asOf)}`;
  const detail = `There is no event of this entity in the stream ${stream} ${when}.`;
  return new ProblemError('entity_not_found', detail);
}
