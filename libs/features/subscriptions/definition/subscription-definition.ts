import { IsBoolean, IsIn, IsNumber, IsString, Matches } from 'class-validator';
import { definitionNamePattern } from '#event';
import {
  IsCount,
  IsTextOrNull,
  IsTime,
  JobIdAndStartOffsets,
  Nested,
  rule,
  SourceFilter,
  startPositions,
} from '#registry';
import { parseTime } from '#json';

/** Orders in which events are handed out: by the versions of each entity, or as fast as workers take them. */
export const subscriptionOrders = ['entity', 'none'] as const;

/** How long an event waits for its next attempt: `first`, then `factor` times as long each time, up to `most`. */
export class SubscriptionBackoff {
  /** A duration such as `1s`. */
  @IsString() first: string;
  @IsNumber() factor: number;
  @IsString() most: string;
}

/** How often an event is handed out before it is parked, and how long it waits in between. */
export class SubscriptionRetry {
  @IsCount() attempts: number;
  @Nested(() => SubscriptionBackoff) backoff: SubscriptionBackoff;
}

const IsStart = rule(
  'isStart',
  (value) =>
    (startPositions as readonly unknown[]).includes(value) ||
    (typeof value === 'string' && parseTime(value) !== undefined),
);

/** The spec of a subscription, with every default filled in. */
export class SubscriptionSpec {
  @Nested(() => SourceFilter) source: SourceFilter;
  /** `beginning`, `now`, or an instant (RFC 3339): the first events that arrived then or later. */
  @IsStart() from: string;
  @IsIn(subscriptionOrders) order: (typeof subscriptionOrders)[number];
  /** With the order `entity`: whether the later events of an entity wait while one is parked. */
  @IsBoolean() parked_blocks: boolean;
  /** An event that is not acknowledged for this duration is handed out again. */
  @IsString() ack_within: string;
  @Nested(() => SubscriptionRetry) retry: SubscriptionRetry;
  /** The most events that are handed out and not acknowledged at the same time. */
  @IsCount() max_outstanding: number;
}

/** The definition of a subscription. A changed definition continues in the same run. */
export class SubscriptionDefinition {
  @Matches(definitionNamePattern) name: string;
  /** Version of the subscription's definition, which increases by one with each changed spec. */
  @IsCount() version: number;
  @IsTime() created_at: string;
  @IsBoolean() paused: boolean;
  /** The reason why the subscription has failed; null if it has not. A resume or a changed spec clears the failure. */
  @IsTextOrNull() failure: string | null;
  @Nested(() => SubscriptionSpec) spec: SubscriptionSpec;
  @Nested(() => JobIdAndStartOffsets) run: JobIdAndStartOffsets;
  /** Key with which the tokens of handed-out events are signed: 32 random bytes in base64url. No answer contains it. */
  @Matches(/^[A-Za-z0-9_-]{43}$/) token_key: string;
}

/** Limits of subscriptions. */
export const subscriptionLimits = {
  /** The most subscriptions of one installation. */
  subscriptions: 1_000,
  attempts: 100,
  factor: 10,
  outstanding: 10_000,
  ackWithin: { least: '1s', most: '1h' },
  backoff: { least: '1s', most: '1d' },
} as const;
