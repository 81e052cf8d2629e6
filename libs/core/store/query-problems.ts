import { defineProblems } from '#api';

export const queryProblems = defineProblems({
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this query' },
  invalid_expression: { status: 400, title: 'The expression cannot be used' },
  query_too_expensive: { status: 422, title: 'The query costs more than is allowed' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof queryProblems> {}
}
