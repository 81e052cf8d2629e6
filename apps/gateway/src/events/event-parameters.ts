import { IsIn } from 'class-validator';
import { limits, type Micros } from '#event';
import type { Expression } from '#cel';
import type { Consistent } from '#http';
import type { EventFilter, Permitted } from '#store';
import {
  Cursor,
  PageLimit,
  Parameter,
  Positions,
  Streams,
  Text,
  Texts,
  Time,
} from '../parameters/decorators.js';
import { Interval } from '../parameters/interval.js';
import { requireTimeRange } from '../parameters/time-range.js';
import type { StreamPosition } from '../consistency/position.js';
import { requireFewStretches } from './bucket-bound.js';
import { Where } from './where.js';

/** Which events: all parameters hold together, repeated ones are alternatives. */
export class EventSelectionParameters implements Consistent {
  @Streams()
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
  since?: Micros;

  @Time('Only events that happened before this time', '2026-11-22T04:00:00Z')
  until?: Micros;

  @Parameter(
    'Only events for which this CEL expression over `event` is true, such as `event.data.currency == "EUR" && ' +
      'event.data.amount > 50`: `&&`, `||` and `!`, `==` for "equals". What `data` and `metadata` hold is known for each ' +
      'event only: an event for which a member is missing, or is of another type than the expression needs, does not ' +
      'fulfil it. So `event.data.amount > "50"` compares texts and finds no number, and `event.data.currency` alone ' +
      'finds an event only where it is `true`. An expression that can be true for no event whatever is refused, and one whose patterns cost too much. Numbers are ' +
      'exact decimals: `0.1 + 0.2 == 0.3`. Some ' +
      'characters have to be encoded in an address: `+` as `%2B`, `&` as `%26`.',
    'event.data.amount * 2 > 10',
  )
  @Where()
  where?: Expression;

  requireConsistent(): void {
    requireTimeRange(this);
  }

  /** The same as the store asks it. */
  get filter(): Omit<EventFilter, keyof Permitted> {
    const { stream, event_type, event_type_prefix, entity_id, since, until, where } = this;
    return {
      ...{ since, until, where, streams: stream },
      ...{ eventTypes: event_type, eventTypePrefix: event_type_prefix, entityIds: entity_id },
    };
  }
}

/** The form of an event in a live stream; the first is the default. */
export const eventFormats = ['event', 'cloudevents'] as const;
export type EventFormat = (typeof eventFormats)[number];

export class EventStreamParameters extends EventSelectionParameters {
  @IsIn(eventFormats)
  @Parameter('`cloudevents`: each event in the JSON format of CloudEvents 1.0.')
  format: EventFormat = 'event';
}

/** The same, of a question that is answered once. */
export class EventFilterParameters extends EventSelectionParameters {
  @Positions()
  wait_for?: StreamPosition[];
}

export class EventQueryParameters extends EventFilterParameters {
  @IsIn(['asc', 'desc'])
  @Parameter('By the time the event happened; events of the same instant in log order (partition, offset).')
  order: 'asc' | 'desc' = 'asc';

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}

export class EventCountParameters extends EventFilterParameters {
  @IsIn(['stream', 'event_type', 'entity_id'])
  @Parameter('Counts each value of this field by itself.')
  group_by?: 'stream' | 'event_type' | 'entity_id';

  @Interval()
  @Parameter(
    'Counts each stretch of this length by itself, from the epoch on, in UTC: `30s`, `5m`, `1h`, `1d`.',
    '1h',
  )
  interval?: number;

  override requireConsistent(): void {
    super.requireConsistent();
    requireFewStretches(this, this.interval);
  }
}

export class EventByIdParameters {
  @Positions()
  wait_for?: StreamPosition[];
}
