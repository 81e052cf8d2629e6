import { defineProblems } from '#api';

export const consistencyProblems = defineProblems({
  not_yet_materialized: { status: 504, title: 'The position cannot be queried yet' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof consistencyProblems> {}
}
