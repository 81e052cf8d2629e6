import type { Feature } from '#app';
import { DedupeSettings } from '#dataflow';
import { LiveSettings } from '#features/events';
import { subscriptionDefinitions } from '#features/subscriptions/definition';
import { SubscriptionsModule } from './subscriptions.module.js';

/** Subscriptions: their definitions. */
export const subscriptions: Feature = {
  ...subscriptionDefinitions,
  settings: [LiveSettings, DedupeSettings],
  gateway: SubscriptionsModule,
};

export { VisibleSubscriptions } from './gateway/visible-subscriptions.js';
