import { IsBoolean, IsIn, IsInt, IsNumber, IsObject, IsOptional, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters } from '#api';
import { ProjectionSourceInput } from '#features/projections';
import {
  subscriptionLimits,
  subscriptionOrders,
  type SubscriptionSpec,
} from '#features/subscriptions/definition';
import { JsonSchemaPart, ObjectOf, OptionalDefinitionName, type StartPosition } from '#gateway-kit';
import { IsStart } from './is-start.js';

/** Longest text of a duration in a definition. */
const durationCharacters = 20;

/** OpenAPI schema and validation of the member `backoff`. */
@JSONSchema({ additionalProperties: false })
class SubscriptionBackoffInput {
  @IsOptional()
  @Characters({ most: durationCharacters })
  @JsonSchemaPart({
    description: 'Wait after the first attempt, from 1s to 1d. Default: `1s`.',
    example: '1s',
  })
  first?: string | null;

  @IsOptional()
  @Max(subscriptionLimits.factor)
  @Min(1)
  @IsNumber()
  @JsonSchemaPart({ description: 'Each wait is this many times as long as the one before. Default: 4.' })
  factor?: number | null;

  @IsOptional()
  @Characters({ most: durationCharacters })
  @JsonSchemaPart({ description: 'Longest wait, up to 1d. Default: `1h`.', example: '1h' })
  most?: string | null;
}

/** OpenAPI schema and validation of the member `retry`. */
@JSONSchema({ additionalProperties: false })
class SubscriptionRetryInput {
  @IsOptional()
  @Max(subscriptionLimits.attempts)
  @Min(1)
  @IsInt()
  @JsonSchemaPart({ description: 'How often an event is handed out before it is parked. Default: 8.' })
  attempts?: number | null;

  @IsOptional()
  @IsObject()
  @ObjectOf(SubscriptionBackoffInput)
  backoff?: SubscriptionBackoffInput | null;
}

/** Body of `PUT /api/v1/subscriptions/{name}`. */
@JSONSchema({
  additionalProperties: false,
  example: { source: { streams: ['orders'], event_types: ['order.placed'] }, from: 'beginning' },
})
export class SubscriptionInput {
  @OptionalDefinitionName()
  name?: string | null;

  @IsObject()
  @ObjectOf(ProjectionSourceInput)
  source: ProjectionSourceInput;

  @IsOptional()
  @IsStart(
    'Where the subscription begins: `beginning`, `now`, or an instant (RFC 3339, or relative: `-15m`, `-1h`, `-7d`). ' +
      'From an instant on, it hands out the events that arrived then or later. Default: `now`.',
  )
  from?: StartPosition | null;

  @IsOptional()
  @IsIn(subscriptionOrders, { message: `must be ${subscriptionOrders.join(' or ')}` })
  @JsonSchemaPart({
    type: 'string',
    enum: [...subscriptionOrders],
    description:
      '`entity`: one event of an entity is out at a time, in the order of its versions. `none`: as fast as workers ' +
      'take events. Default: `entity`.',
  })
  order?: SubscriptionSpec['order'] | null;

  @IsOptional()
  @IsBoolean()
  @JsonSchemaPart({
    description:
      'With the order `entity`: whether the later events of an entity wait while one of its events is parked. Default: true.',
  })
  parked_blocks?: boolean | null;

  @IsOptional()
  @Characters({ most: durationCharacters })
  @JsonSchemaPart({
    description:
      'An event that is not acknowledged for this long is handed out again: a duration of 1s to 1h. Default: `30s`.',
    example: '30s',
  })
  ack_within?: string | null;

  @IsOptional()
  @IsObject()
  @ObjectOf(SubscriptionRetryInput)
  @JsonSchemaPart({
    description: 'How an event is repeated that a worker rejects or does not acknowledge in time.',
  })
  retry?: SubscriptionRetryInput | null;

  @IsOptional()
  @Max(subscriptionLimits.outstanding)
  @Min(1)
  @IsInt()
  @JsonSchemaPart({
    description: 'The most events that are handed out and not acknowledged at the same time. Default: 1000.',
  })
  max_outstanding?: number | null;
}
