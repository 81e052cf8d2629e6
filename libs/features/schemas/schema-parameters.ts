import { IsInt, Max, Min } from 'class-validator';
import { FromText } from '#api';
import { limits } from '#event';
import { Parameter, StreamNames, Texts, PageParameters } from '#gateway-kit';

/** Query parameters of `GET /api/v1/schemas`. */
export class SchemaListParameters extends PageParameters {
  @StreamNames()
  @Parameter('Only schemas of this stream. Repeatable.', ['orders'])
  stream?: string[];

  @Texts(limits.eventTypeCharacters)
  @Parameter('Only schemas of this event type. Repeatable.', ['order.placed'])
  event_type?: string[];
}

/** Query parameters of the check of data against a schema. */
export class DataValidationParameters {
  @FromText('number')
  @IsInt({ message: 'must be a whole number from 1' })
  @Min(1, { message: 'must be a whole number from 1' })
  @Max(999_999_999)
  @Parameter('Version of the schema. Default: the latest.', 2)
  version?: number;
}
