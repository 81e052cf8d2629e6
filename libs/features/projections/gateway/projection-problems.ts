import { defineProblems } from '#api';

export const projectionProblems = defineProblems({
  projection_not_found: { status: 404, title: 'There is no projection with this name' },
  projection_key_not_found: { status: 404, title: 'The projection has no such key' },
  projection_exists: { status: 409, title: 'There is a projection with this name already' },
  projection_building: { status: 503, title: 'The projection is still being built', retryable: true },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof projectionProblems> {}
}
