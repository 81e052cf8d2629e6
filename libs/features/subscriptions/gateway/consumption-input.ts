import { ArrayMaxSize, IsArray, IsBoolean, IsInt, IsOptional, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, ProblemError } from '#api';
import type { HasCrossFieldCheck } from '#http';
import { JsonSchemaPart, ListOf, type StartPosition } from '#gateway-kit';
import { IsStart } from './is-start.js';

/** Limits of the requests of workers. */
export const consumptionLimits = {
  /** Events of one answer. */
  events: 1_000,
  waitMs: 60_000,
  /** Tokens of one request, over all its members. */
  tokens: 10_000,
  tokenCharacters: 400,
  reasonCharacters: 1_000,
  delayMs: 86_400_000,
  /** Parked events that one request names. */
  parked: 1_000,
} as const;

const token = { most: consumptionLimits.tokenCharacters };
const tokens = (description: string) =>
  JsonSchemaPart({ type: 'array', items: { type: 'string' }, description });

/** Body of `POST /api/v1/subscriptions/{name}/receive`. */
@JSONSchema({ additionalProperties: false, example: { max: 10, wait: '1s' } })
export class ReceiveInput {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(consumptionLimits.events)
  @JsonSchemaPart({
    type: 'integer',
    minimum: 1,
    maximum: consumptionLimits.events,
    description: 'The most events of the answer. Default: 100.',
    example: 100,
  })
  max?: number | null;

  @IsOptional()
  @Characters({ most: 20 })
  @JsonSchemaPart({
    type: 'string',
    description: 'How long the request waits for the first event, up to `60s`. Default: `0s`, not at all.',
    example: '20s',
  })
  wait?: string | null;
}

/** A refused token in the body of `ack`. */
@JSONSchema({ additionalProperties: false })
class RefusalInput {
  @Characters(token) token: string;

  @IsOptional()
  @Characters({ most: 20 })
  @JsonSchemaPart({
    type: 'string',
    description:
      'After how long the event is handed out again, up to `24h`. Default: the backoff of the subscription.',
    example: '10s',
  })
  delay?: string | null;

  @IsOptional()
  @IsBoolean()
  @JsonSchemaPart({ type: 'boolean', description: 'Parks the event at once. Default: false.' })
  park?: boolean | null;

  @IsOptional()
  @Characters({ most: consumptionLimits.reasonCharacters })
  @JsonSchemaPart({
    type: 'string',
    description: 'Why; it is shown with the parked event.',
    example: 'no address',
  })
  reason?: string | null;
}

/** Body of `POST /api/v1/subscriptions/{name}/ack`. */
@JSONSchema({ additionalProperties: false, example: { ack: ['pR0kT3…'] } })
export class AckInput implements HasCrossFieldCheck {
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(consumptionLimits.tokens)
  @Characters(token, { each: true })
  @tokens('Tokens of events that are done.')
  ack?: string[] | null;

  @IsOptional()
  @ArrayMaxSize(consumptionLimits.tokens)
  @ListOf(RefusalInput, 'Events that the worker refuses: they are handed out again, or parked.')
  nack?: RefusalInput[] | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(consumptionLimits.tokens)
  @Characters(token, { each: true })
  @tokens('Tokens of events that take longer: `ack_within` begins again, up to an hour after the hand-out.')
  extend?: string[] | null;

  requireConsistent(): void {
    const count = [this.ack, this.nack, this.extend].reduce((sum, list) => sum + (list?.length ?? 0), 0);
    const detail = `${count} tokens; a request has 1 to ${consumptionLimits.tokens}`;
    if (count >= 1 && count <= consumptionLimits.tokens) return;
    throw new ProblemError('invalid_request', `The request has ${detail}.`, {
      errors: [{ pointer: '', detail }],
    });
  }
}

/** Body of the requests that replay and discard parked events. */
@JSONSchema({ additionalProperties: false, example: { all: true } })
export class ParkedInput implements HasCrossFieldCheck {
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(consumptionLimits.parked)
  @Characters({ most: 300 }, { each: true })
  @JsonSchemaPart({ type: 'array', items: { type: 'string' }, description: 'The `id`s of parked events.' })
  ids?: string[] | null;

  @IsOptional()
  @IsBoolean()
  @JsonSchemaPart({
    type: 'boolean',
    description: 'All parked events of the subscription, instead of `ids`.',
  })
  all?: boolean | null;

  requireConsistent(): void {
    if (this.all ? !this.ids : this.ids && this.ids.length > 0) return;
    const detail = 'send either ids or all: true';
    throw new ProblemError('invalid_request', 'Say which parked events are meant.', {
      errors: [{ pointer: '', detail }],
    });
  }
}

/** Body of `POST /api/v1/subscriptions/{name}/seek`. */
@JSONSchema({ additionalProperties: false, example: { to: '-1h' } })
export class SeekInput {
  @IsStart('Where the subscription continues: `beginning`, `now`, or an instant, which may be relative.')
  to: StartPosition;
}
