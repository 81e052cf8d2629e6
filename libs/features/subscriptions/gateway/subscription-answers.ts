import { IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString } from 'class-validator';
import { subscriptionOrders, type SubscriptionDefinition } from '#features/subscriptions/definition';
import {
  Count,
  JsonSchemaPart,
  ListAnswer,
  ListOf,
  Nullable,
  ObjectOf,
  runningStatus,
  runningStatuses,
  type RunningStatus,
} from '#gateway-kit';

/** OpenAPI schema of the member `source` of a subscription: the events that it hands out. */
class SubscriptionSourceAnswer {
  @IsArray() @IsString({ each: true }) streams: readonly string[];
  @IsOptional() @IsArray() @IsString({ each: true }) event_types?: readonly string[];
  @IsOptional() @IsString() where?: string;
}

class SubscriptionBackoffAnswer {
  @IsString() first: string;
  @IsNumber() factor: number;
  @IsString() most: string;
}

class SubscriptionRetryAnswer {
  @IsInt() attempts: number;
  @ObjectOf(SubscriptionBackoffAnswer) backoff: SubscriptionBackoffAnswer;
}

/** OpenAPI schema of a subscription's definition and status. */
export class SubscriptionAnswer {
  @IsString() name: string;
  @Count('Increases by one with each change of the definition.', 1) version: number;
  @IsIn(runningStatuses)
  @JsonSchemaPart({
    description:
      '`failed`: the subscription cannot continue, paused or not. `failure` gives the reason; when its cause is ' +
      'removed, a resume continues the subscription at its position.',
  })
  status: RunningStatus;
  @ObjectOf(SubscriptionSourceAnswer) source: SubscriptionSourceAnswer;
  @JsonSchemaPart({ description: '`beginning`, `now`, or the instant at which the subscription began.' })
  @IsString()
  from: string;
  @IsIn(subscriptionOrders) order: (typeof subscriptionOrders)[number];
  @IsBoolean() parked_blocks: boolean;
  @IsString() ack_within: string;
  @ObjectOf(SubscriptionRetryAnswer) retry: SubscriptionRetryAnswer;
  @IsInt() max_outstanding: number;
  @JsonSchemaPart({ type: 'string', format: 'date-time' }) @IsString() created_at: string;
  @Nullable('string', { description: 'Why the subscription cannot continue; null unless it has failed.' })
  failure: string | null;
}

/** OpenAPI schema of a subscription with what it has handed out. */
export class SubscriptionWithStatsAnswer extends SubscriptionAnswer {
  @Count('Events that are handed out and not acknowledged.') outstanding: number;
  @Count('Events that were refused and wait for their next attempt.') retrying: number;
  @Count('Events that wait for another event of their entity, or for a worker.') waiting: number;
  @Count('Events that have no attempt left, or that a worker has parked.') parked: number;
  @Count('Records of the source streams that no worker has asked for yet.') lag: number;
  @Nullable('string', {
    format: 'date-time',
    description:
      'When the event was handed out that waits longest for its acknowledgement; null if none waits.',
  })
  oldest_outstanding_at: string | null;
}

/** What a subscription has handed out. */
export type SubscriptionStats = Omit<SubscriptionWithStatsAnswer, keyof SubscriptionAnswer>;

/** Answer of `GET /api/v1/subscriptions`: one page of subscriptions. */
export class SubscriptionList extends ListAnswer {
  @ListOf(SubscriptionWithStatsAnswer) subscriptions: SubscriptionWithStatsAnswer[];
}

/** Converts the definition of a subscription to its form in the API, without the key of its tokens. */
export function subscriptionAnswer(definition: SubscriptionDefinition): SubscriptionAnswer {
  const { name, version, created_at, failure, spec } = definition;
  return { name, version, status: runningStatus(definition), ...spec, created_at, failure };
}
