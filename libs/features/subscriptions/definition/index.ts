import type { Feature } from '#app';
import { subscriptionKind } from './subscription-kind.js';

/** Definitions of subscriptions, which every app reads. */
export const subscriptionDefinitions: Feature = { name: 'subscriptions', kinds: [subscriptionKind] };

export {
  SubscriptionBackoff,
  SubscriptionDefinition,
  SubscriptionRetry,
  SubscriptionSpec,
  subscriptionLimits,
  subscriptionOrders,
} from './subscription-definition.js';
export { subscriptionKind } from './subscription-kind.js';
