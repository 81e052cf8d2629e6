import { IsDefined } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsRetention, limits, type Retention } from '#contracts';
import { Cursor, PageLimit, Parameter, Text } from '../parameters/decorators.js';

export class StreamListParameters {
  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}

/** What of a stream can be changed. */
@JSONSchema({ additionalProperties: false })
export class StreamChange {
  @IsDefined()
  @IsRetention()
  retention: Retention;
}

export class StreamDeletionParameters {
  @Text(limits.streamCharacters)
  @Parameter('The name of the stream once more: there is no way back.', 'orders')
  confirm?: string;
}
