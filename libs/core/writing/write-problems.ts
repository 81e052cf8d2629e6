import { defineProblems } from '#api';

export const writeProblemDefinitions = defineProblems({
  one_entity: { status: 400, title: 'The events are not of one entity' },
  partial_repeat: { status: 409, title: 'Only some of the events were written before' },
  stream_exists: { status: 409, title: 'The stream exists already' },
  version_conflict: { status: 412, title: 'The entity has another version' },
  schema_too_expensive: { status: 422, title: 'The event takes too long to validate against its schema' },
  schema_violation: { status: 422, title: 'The event does not match its schema' },
  undecided: { status: 504, title: 'The conditional write is not decided yet', retryable: true },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof writeProblemDefinitions> {}
}
