import { defineProblems } from '#api';

export const subscriptionProblems = defineProblems({
  subscription_not_found: { status: 404, title: 'There is no subscription with this name' },
  subscription_paused: { status: 409, title: 'The subscription is paused' },
  subscription_source_fixed: {
    status: 409,
    title: 'The source and the start of a subscription cannot be changed',
  },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof subscriptionProblems> {}
}
