import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { EventInput, FromText } from '#api';
import { limits } from '#event';

/**
 * JSON body of a batch of events, for the OpenAPI document only. Requests are parsed without an instance of this class,
 * for speed.
 */
@JSONSchema({
  additionalProperties: false,
  example: {
    events: [
      {
        stream: 'orders',
        event_type: 'order.placed',
        entity_id: 'order-20',
        data: { amount: 80, currency: 'EUR' },
      },
      { stream: 'orders', event_type: 'order.paid', entity_id: 'order-20', data: { method: 'card' } },
    ],
  },
})
export class BatchInput {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(limits.batchEvents)
  @ValidateNested({ each: true })
  @Type(() => EventInput)
  events: EventInput[];
}

/** Query parameters of the route that writes a batch of events. */
export class BatchWriteParameters {
  @JSONSchema({
    description:
      'If one event is rejected, no event is written. If the first event has an `expected_version`, all events must be of its entity, and are accepted together or not at all.',
    default: false,
  })
  @IsOptional()
  @FromText('boolean')
  @IsBoolean({ message: 'must be true or false' })
  atomic = false;
}
