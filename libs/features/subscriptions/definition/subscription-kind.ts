import {
  definitionLimitReached,
  lifecycleActionOf,
  oneRecord,
  requireSourceOfEachStream,
  type ResourceKind,
  type ResourceStore,
} from '#registry';
import { SubscriptionDefinition, subscriptionLimits } from './subscription-definition.js';

declare module '#registry' {
  interface ResourceStores {
    /** Definitions of subscriptions, by name. */
    subscriptions: ResourceStore<SubscriptionDefinition>;
  }
}

const most = subscriptionLimits.subscriptions;

/** Rules of subscriptions. Each record contains the whole definition of a subscription, with its run. */
export const subscriptionKind: ResourceKind<SubscriptionDefinition> = {
  kind: 'subscription',
  store: 'subscriptions',
  most,
  full: () =>
    definitionLimitReached(`The limit of ${most} subscriptions is reached. Delete one that is not needed.`),
  ...oneRecord(SubscriptionDefinition, {
    nameOf: ({ name }) => name,
    specOf: ({ spec }) => spec,
    requireConsistent: ({ spec, run }) => requireSourceOfEachStream(run.sources, spec.source.streams),
  }),
  failureOf: ({ failure }) => failure,
  eventType: (before, after) => {
    if (!after) return 'subscription.deleted';
    return `subscription.${before ? lifecycleActionOf(before, after) : 'created'}`;
  },
  redact: ({ run, token_key: _, ...shown }) => ({
    ...shown,
    run: { id: run.id, started_at: run.started_at },
  }),
};
