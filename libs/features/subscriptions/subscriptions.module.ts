import { Module } from '@nestjs/common';
import { SubscriptionResource } from './gateway/subscription-resource.js';
import { subscriptionControllers } from './gateway/subscription-routes.js';
import { SubscriptionStatsReader } from './gateway/subscription-stats-reader.js';
import { VisibleSubscriptions } from './gateway/visible-subscriptions.js';

/** Nest module of the routes of subscriptions. */
@Module({
  controllers: [subscriptionControllers.all, subscriptionControllers.one],
  providers: [VisibleSubscriptions, SubscriptionResource, SubscriptionStatsReader],
})
export class SubscriptionsModule {}
