import { counter, gauge } from '#telemetry';
import { deliveryOutcomes, type DeliveryTally } from '../state/delivery-tally.js';

const events = counter('tributary_subscription_events_total', {
  help: 'Events that this gateway handled, by subscription and outcome: handed_out, acknowledged (or erased), rejected by a worker, expired (not acknowledged in time), released (reached no worker), parked, replayed, discarded.',
  labelNames: ['subscription', 'outcome'],
});

/** The state of each subscription in its definition. */
export const subscriptionState = gauge('tributary_subscription_state', {
  help: 'Always 1; the labels are a subscription and its state in its definition: running, paused, failed.',
  labelNames: ['subscription', 'state'],
});

/** Gauges of the state that all gateways compute from the same log. */
export const subscriptionGauges = {
  outstanding: gauge('tributary_subscription_outstanding_events', {
    help: 'Events that are handed out and not acknowledged, by subscription. Every gateway reports the same: use max.',
    labelNames: ['subscription'],
  }),
  retrying: gauge('tributary_subscription_retrying_events', {
    help: 'Events that were rejected and wait for their next attempt, by subscription. Every gateway reports the same: use max.',
    labelNames: ['subscription'],
  }),
  waiting: gauge('tributary_subscription_waiting_events', {
    help: 'Events that wait for another event of their entity, or for a worker, by subscription. Every gateway reports the same: use max.',
    labelNames: ['subscription'],
  }),
  parked: gauge('tributary_subscription_parked_events', {
    help: 'Events that have no attempt left, or that a worker has parked, by subscription. Every gateway reports the same: use max.',
    labelNames: ['subscription'],
  }),
  lag: gauge('tributary_subscription_lag_records', {
    help: 'Records of the source streams that no worker has asked for yet, by subscription. Every gateway reports the same: use max.',
    labelNames: ['subscription'],
  }),
  oldest: gauge('tributary_subscription_oldest_outstanding_seconds', {
    help: 'Seconds since the event was handed out that waits longest for its acknowledgement, by subscription; 0 if none waits. Every gateway reports the same: use max.',
    labelNames: ['subscription'],
  }),
};

/** Counts what a command of this process did with the events of a subscription. */
export function countDeliveries(subscription: string, tally: DeliveryTally): void {
  for (const [outcome, count] of Object.entries(tally)) events.inc({ subscription, outcome }, count);
}

/** Lets the counters of a subscription begin at 0, if they do not exist. */
export function beginCounters(subscription: string): void {
  for (const outcome of deliveryOutcomes) events.inc({ subscription, outcome }, 0);
}

/** Removes all series of a subscription that was deleted. */
export function removeSubscription(subscription: string): void {
  for (const outcome of deliveryOutcomes) events.remove({ subscription, outcome });
  for (const one of Object.values(subscriptionGauges)) one.remove({ subscription });
}
