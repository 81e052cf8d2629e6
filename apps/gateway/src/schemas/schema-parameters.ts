import { limits } from '#event';
import { Cursor, PageLimit, Parameter, Streams, Texts } from '../parameters/decorators.js';

export class SchemaVersionListParameters {
  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}

export class SchemaListParameters extends SchemaVersionListParameters {
  @Streams()
  @Parameter('Only schemas of this stream. Repeatable.', ['orders'])
  stream?: string[];

  @Texts(limits.eventTypeCharacters)
  @Parameter('Only schemas of this event type. Repeatable.', ['order.placed'])
  event_type?: string[];
}
