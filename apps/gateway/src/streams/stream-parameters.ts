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
  @IsRetention(
    'It replaces the whole retention that there was: a bound that is left out is taken away. `{"bytes": 1000}` keeps ' +
      'no bound of time; send both to keep both. `unlimited` takes both away.',
  )
  retention: Retention;
}

export class StreamDeletionParameters {
  @Text(limits.streamCharacters)
  @Parameter('The name of the stream once more: there is no way back.', 'orders')
  confirm?: string;
}
