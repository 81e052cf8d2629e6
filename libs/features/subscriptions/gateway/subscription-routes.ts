import { bodyProblems, createProblems, definitionControllers } from '#gateway-kit';
import { SubscriptionAnswer, SubscriptionList, SubscriptionWithStatsAnswer } from './subscription-answers.js';
import { SubscriptionInput } from './subscription-input.js';
import { SubscriptionResource } from './subscription-resource.js';

/** The controllers of `/api/v1/subscriptions` and `/api/v1/subscriptions/{name}`. */
export const subscriptionControllers = definitionControllers({
  what: 'subscription',
  orReadScopes: ['events:read', 'subscriptions:consume'],
  service: SubscriptionResource,
  replacement: SubscriptionInput,
  answer: SubscriptionAnswer,
  detail: SubscriptionWithStatsAnswer,
  list: SubscriptionList,
  problems: {
    replace: [
      ...bodyProblems,
      'invalid_expression',
      'subscription_not_found',
      'stream_not_found',
      'subscription_source_fixed',
      ...createProblems,
    ],
  },
  text: {
    list: {
      summary: 'List subscriptions',
      description: 'Sorted by name. A key sees a subscription only if it covers all of its streams.',
      answer: 'A page of subscriptions; `total` counts all.',
    },
    get: {
      summary: 'Get one subscription',
      answer: 'The definition and the status of the subscription.',
    },
    replace: {
      summary: 'Create or change a subscription',
      description:
        'A subscription hands out the events of its source to workers. A different definition is a new version, which ' +
        'continues at the same position. `source` and `from` cannot be changed: make a new subscription. The same ' +
        'definition changes nothing.',
      answer: 'The current definition of the subscription.',
    },
    remove: {
      summary: 'Delete a subscription with its position and its parked events',
      description: 'The events of its streams remain.',
      answer: 'The subscription is deleted.',
    },
    pause: {
      summary: 'Pause a subscription',
      description: 'The subscription hands out no events. Repeating the request changes nothing.',
      answer: 'The subscription is paused.',
    },
    resume: {
      summary: 'Resume a subscription',
      description:
        'The subscription continues where it stopped and misses no event. Repeating the request changes nothing.',
      answer: 'The subscription is running.',
    },
  },
});
