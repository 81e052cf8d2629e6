import { defineProblems } from '#api';

export const keyProblems = defineProblems({
  key_not_found: { status: 404, title: 'There is no key with this id' },
  key_inactive: { status: 409, title: 'The API key is revoked or expired' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof keyProblems> {}
}
