import { limits } from '#event';
import { Parameter, Streams, Texts } from '../parameters/decorators.js';
import { PageParameters } from '../parameters/page-parameters.js';

export class SchemaListParameters extends PageParameters {
  @Streams()
  @Parameter('Only schemas of this stream. Repeatable.', ['orders'])
  stream?: string[];

  @Texts(limits.eventTypeCharacters)
  @Parameter('Only schemas of this event type. Repeatable.', ['order.placed'])
  event_type?: string[];
}
