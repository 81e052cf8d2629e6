import { limits } from '#event';
import { Parameter, StreamNames, Texts } from '../parameters/decorators.js';
import { PageParameters } from '../parameters/page-parameters.js';

export class SchemaListParameters extends PageParameters {
  @StreamNames()
  @Parameter('Only schemas of this stream. Repeatable.', ['orders'])
  stream?: string[];

  @Texts(limits.eventTypeCharacters)
  @Parameter('Only schemas of this event type. Repeatable.', ['order.placed'])
  event_type?: string[];
}
