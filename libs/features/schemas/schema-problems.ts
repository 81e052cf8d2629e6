import { defineProblems } from '#api';

export const schemaProblems = defineProblems({
  invalid_schema: { status: 400, title: 'The schema cannot be used' },
  schema_not_found: { status: 404, title: 'There is no such schema' },
  schema_incompatible: { status: 409, title: 'The schema is not compatible with earlier versions' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof schemaProblems> {}
}
