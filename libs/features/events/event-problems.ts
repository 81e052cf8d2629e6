import { defineProblems } from '#api';

export const eventProblems = defineProblems({
  event_not_found: { status: 404, title: 'There is no event with this id' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof eventProblems> {}
}
