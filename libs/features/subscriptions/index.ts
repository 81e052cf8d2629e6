import type { Feature } from '#app';
import { subscriptionDefinitions } from '#features/subscriptions/definition';
import { SubscriptionsModule } from './subscriptions.module.js';

/** Subscriptions: their definitions. */
export const subscriptions: Feature = { ...subscriptionDefinitions, gateway: SubscriptionsModule };

export { VisibleSubscriptions } from './gateway/visible-subscriptions.js';
