import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn } from 'class-validator';
import { limits } from '#event';
import { type EpochMicros, hasCharacters } from '#json';
import {
  calendarUnits,
  type CalendarUnit,
  checkKinds,
  type ExpressionTree,
  RegexTooLargeError,
  InvalidCelExpressionError,
  kinds,
  parseChecked,
  parseCondition,
} from '#cel';
import { type HasCrossFieldCheck, ParseValue, ParseValues, Repeatable } from '#http';
import {
  eventTimeNames,
  type EventFilter,
  type AuthorizationScope,
  type EventTimeName,
  type QuantileQuery,
} from '#store';
import {
  Cursor,
  Flag,
  PageLimit,
  Parameter,
  Positions,
  StreamNames,
  Text,
  Texts,
  Time,
  Interval,
  JsonSchemaPart,
  requireTimeRange,
  type ConsistencyToken,
} from '#gateway-kit';
import { applyDecorators } from '@nestjs/common';
import { ProblemError } from '#api';
import { eventVariable, mostQuantiles, sketchBins, storedEventVariable } from '#dataflow';
import { rejectedParameter, requireRangeWithinBucketLimit } from './bucket-limit.js';
import { liveDeliveries, type LiveDelivery } from './live/live-events-follower.js';
import { eventFormats, type LiveEventJsonFormat } from './live/live-filter.js';

const bounds = { least: 1, most: limits.whereCharacters };

/**
 * Decorator of the query parameter `where`, a CEL expression over `event`. The property gets the parsed `Expression`.
 */
export function WhereParameter(): PropertyDecorator {
  return Expression('where', (text) => parseCondition(text, storedEventVariable));
}

/** Decorator of a query parameter with a CEL expression. The property gets the parsed `ExpressionTree`. */
function Expression(name: string, parse: (text: string) => ExpressionTree): PropertyDecorator {
  const message = () => `must be ${bounds.least} to ${bounds.most} characters`;
  return applyDecorators(
    ParseValue({ name: `is ${name}`, read: (text) => readExpression(name, text, parse), message }),
    JsonSchemaPart({ type: 'string', minLength: bounds.least, maxLength: bounds.most }),
  );
}

/**
 * Parses the CEL expression of a parameter. Returns a 400 problem for an invalid expression, a 422 problem for one whose
 * evaluation may cost too much, and undefined for a text that is empty or too long.
 */
function readExpression(
  name: string,
  text: string,
  parse: (text: string) => ExpressionTree,
): ExpressionTree | ProblemError | undefined {
  if (!hasCharacters(text, bounds)) return undefined;
  try {
    return parse(text);
  } catch (error) {
    return expressionProblem(name, error);
  }
}

/** Returns the problem of a parameter with an invalid expression. @throws every other error */
function expressionProblem(pointer: string, error: unknown): ProblemError {
  if (!(error instanceof InvalidCelExpressionError)) throw error;
  const detail = `${error.message} (at character ${error.at + 1})`;
  const code = error instanceof RegexTooLargeError ? 'query_too_expensive' : 'invalid_expression';
  return new ProblemError(code, detail, { errors: [{ pointer, detail }] });
}

/** Parses a number from 0 to 1, such as `0.99`. */
function readProbability(text: string): number | undefined {
  return /^(?:0(?:\.\d{1,15})?|1(?:\.0{1,15})?)$/.test(text) ? Number(text) : undefined;
}

/**
 * Query parameters that filter events. An event must match every parameter that is sent, and one of the values of a
 * repeated parameter.
 */
export class EventSelectionParameters implements HasCrossFieldCheck {
  @StreamNames()
  @Parameter('Only events of this stream. Repeatable.', ['orders'])
  stream?: string[];

  @Texts(limits.eventTypeCharacters)
  @Parameter('Only events of this type. Repeatable.', ['order.placed'])
  event_type?: string[];

  @Text(limits.eventTypeCharacters)
  @Parameter('Only events whose type starts with this.', 'order.')
  event_type_prefix?: string;

  @Texts(limits.entityIdCharacters)
  @Parameter('Only events of this entity. Repeatable.', ['order-17'])
  entity_id?: string[];

  @Time('Only events that happened at this time or later', '2026-11-21T04:00:00Z')
  since?: EpochMicros;

  @Time('Only events that happened before this time', '2026-11-22T04:00:00Z')
  until?: EpochMicros;

  @Parameter(
    'Only events for which this CEL expression over `event` is true, such as `event.data.currency == ' +
      '"EUR" && event.data.amount > 50`. `&&`, `||` and `!` combine conditions; `==` means "equals". The ' +
      'members of `data` and `metadata` have no fixed types: an event does not match when a member is ' +
      'missing, or has another type than the expression needs. So `event.data.amount > "50"` compares ' +
      'texts and matches no number, and `event.data.currency` alone matches only an event where it is ' +
      '`true`. An expression that no event can fulfil is refused, and so is an expression whose patterns ' +
      'cost too much. Numbers are exact decimals: `0.1 + 0.2 == 0.3`. Some characters must be encoded in ' +
      'a URL: `+` as `%2B`, `&` as `%26`.',
    'event.data.amount * 2 > 10',
  )
  @WhereParameter()
  where?: ExpressionTree;

  requireConsistent(): void {
    requireTimeRange(this);
  }

  /** The filters as the store's `EventFilter`, without the streams that the caller may see. */
  get filter(): Omit<EventFilter, keyof AuthorizationScope> {
    const { stream, event_type, event_type_prefix, entity_id, since, until, where } = this;
    const [eventTypes, eventTypePrefix, entityIds] = [event_type, event_type_prefix, entity_id];
    return { since, until, where, streams: stream, eventTypes, eventTypePrefix, entityIds };
  }
}

/** Query parameters of the live stream `GET /api/v1/events/stream`. */
export class LiveEventStreamParameters extends EventSelectionParameters {
  @IsIn(eventFormats)
  @Parameter('`cloudevents`: each event in the JSON format of CloudEvents 1.0.')
  format: LiveEventJsonFormat = 'event';

  @IsIn(liveDeliveries)
  @Parameter(
    '`accepted`: each event is sent straight from the log, a few milliseconds after its acknowledgement, when it perhaps cannot ' +
      'be queried yet. Repeated events, refused conditional ones and erased ones are not sent. `version` is null where it is ' +
      'not known yet. `stored`: each event is sent when it can be queried.',
  )
  delivery: LiveDelivery = 'stored';

  override requireConsistent(): void {
    super.requireConsistent();
    if (this.delivery !== 'accepted' || !this.where) return;
    try {
      checkKinds(this.where, eventVariable);
    } catch (error) {
      throw expressionProblem('where', error);
    }
  }
}

/** Event filters of a request that is answered once, with `wait_for`; a live stream has no `wait_for`. */
export class ConsistentEventReadParameters extends EventSelectionParameters {
  @Positions()
  wait_for?: ConsistencyToken[];

  @Flag(
    '`true`: if a shard of ClickHouse does not answer, the answer has the events of the others, and `missing_shards` and the header ' +
      '`X-Missing-Shards` name it. Otherwise the answer is a 503.',
  )
  partial = false;
}

/** Query parameters of `GET /api/v1/events/query`. */
export class EventQueryParameters extends ConsistentEventReadParameters {
  @IsIn(['asc', 'desc'])
  @Parameter('Sort order by event time. Events with the same time are in log order (partition, offset).')
  order: 'asc' | 'desc' = 'asc';

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}

/** Query parameters of `GET /api/v1/events/count`. */
export class EventCountParameters extends ConsistentEventReadParameters {
  @IsIn(['stream', 'event_type', 'entity_id'])
  @Parameter('Counts the events of each value of this field.')
  group_by?: 'stream' | 'event_type' | 'entity_id';

  @Interval()
  @Parameter(
    'Counts the events of each time bucket of this length, aligned to the epoch in UTC: `30s`, `5m`, `1h`, `1d`.',
    '1h',
  )
  interval?: number;

  @IsIn(calendarUnits)
  @Parameter(
    'Counts the events of each local day, week (from Monday), month, quarter or year of `zone`. Needs `since` and `until`.',
    'day',
  )
  calendar?: CalendarUnit;

  @Text(64)
  @Parameter(
    'The time zone of `calendar`: an IANA name, `UTC`, or an offset such as `+05:30` (in a URL `%2B05:30`).',
    'Europe/Berlin',
  )
  zone?: string;

  @IsIn(eventTimeNames)
  @Parameter(
    'The time that `since`, `until`, `interval` and `calendar` refer to: `timestamp`, when an event happened, or `ingested_at`, when ' +
      'Tributary accepted it. Rates count by `ingested_at`: imported events of former years are new, too.',
    'ingested_at',
  )
  time: EventTimeName = 'timestamp';

  @Repeatable()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostQuantiles)
  @ArrayUnique({ message: 'must not contain a number twice' })
  @ParseValues({
    name: 'isProbability',
    read: readProbability,
    message: () => 'must be numbers from 0 to 1, such as 0.99',
  })
  @JsonSchemaPart({ type: 'array', items: { type: 'number', minimum: 0, maximum: 1 } })
  @Parameter(
    'Estimates this quantile of the numbers that `value` gives, in each bucket: 0.5 is the median. The error is at most 1 %, and the ' +
      'result is that of the operation `quantile` of projections. Needs `value`. Repeatable.',
    [0.5, 0.99],
  )
  quantile?: number[];

  @Parameter(
    'The CEL expression over `event` whose quantiles are estimated. Events for which it gives no number are counted, but left out of ' +
      'the quantiles. Needs `quantile`.',
    'event.data.amount',
  )
  @Expression('value', (text) => parseChecked(text, storedEventVariable, kinds.number))
  value?: ExpressionTree;

  override requireConsistent(): void {
    super.requireConsistent();
    requireRangeWithinBucketLimit(this, this.interval);
    if (this.quantile && !this.value)
      throw rejectedParameter('value', 'is required with quantile, such as event.data.amount');
    if (this.value && !this.quantile)
      throw rejectedParameter('quantile', 'is required with value, such as 0.5');
  }

  /** The quantiles as the store's query; undefined for a count without. */
  get quantiles(): QuantileQuery | undefined {
    const { value, quantile: probabilities } = this;
    return value && probabilities && { value, probabilities, bins: sketchBins };
  }
}

/** Query parameters of `GET /api/v1/events/{event_id}`. */
export class EventByIdParameters {
  @Positions()
  wait_for?: ConsistencyToken[];
}
