import { Allow, IsArray, IsIn, IsInt, IsString } from 'class-validator';
import { Count, JsonSchemaPart, ListAnswer, ListOf } from '#gateway-kit';
import type { SettleResult } from '../state/subscription-command.js';

class HandedOutEventAnswer {
  @JsonSchemaPart({ description: 'Acknowledges, refuses or prolongs this hand-out of the event.' })
  @IsString()
  token: string;
  @Count('How often the event was handed out, this time included.', 1) attempt: number;
  @Allow()
  @JsonSchemaPart({ type: 'object', description: 'The event, as in the answer of a query.' })
  event: object;
}

/** Answer of `receive`. */
export class ReceiveAnswer {
  @ListOf(HandedOutEventAnswer) events: HandedOutEventAnswer[];
}

const results = ['done', 'expired', 'unknown'] as const satisfies readonly SettleResult[];
const Results =
  (name: string): PropertyDecorator =>
  (target, key) => {
    IsArray()(target, key);
    IsIn(results, { each: true })(target, key);
    JsonSchemaPart({
      type: 'array',
      items: { type: 'string', enum: [...results] },
      description: `One result for each token of \`${name}\`, in their order.`,
    })(target, key);
  };

/** Answer of `ack`. */
export class AckAnswer {
  @Results('ack') ack: SettleResult[];
  @Results('nack') nack: SettleResult[];
  @Results('extend') extend: SettleResult[];
}

/** A parked event in a list. */
export class ParkedEventAnswer {
  @JsonSchemaPart({ description: 'Names the event in `replay` and `discard`.', example: 'orders:0:17' })
  @IsString()
  id: string;
  @IsInt() attempts: number;
  @JsonSchemaPart({ description: 'Why it was parked.' }) @IsString() reason: string;
  @JsonSchemaPart({ type: 'string', format: 'date-time' }) @IsString() parked_at: string;
  @JsonSchemaPart({ description: 'How many later events of its entity wait for it.' })
  @IsInt()
  blocked: number;
  @Allow()
  @JsonSchemaPart({
    type: ['object', 'null'],
    description: 'The event; null if it was erased, or its stream was deleted.',
  })
  event: object | null;
}

/** Answer of `GET /api/v1/subscriptions/{name}/parked`. */
export class ParkedList extends ListAnswer {
  @ListOf(ParkedEventAnswer) parked: ParkedEventAnswer[];
}

/** Answer of `replay` and `discard`. */
export class ParkedChangeAnswer {
  @Count('Number of parked events that were replayed or discarded.') events: number;
}
