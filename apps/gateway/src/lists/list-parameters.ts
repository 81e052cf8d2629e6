import { limits } from '#contracts';
import { Cursor, OneStream, PageLimit, Parameter, Text, Time } from '../parameters/decorators.js';

export class EntityListParameters {
  @OneStream()
  @Parameter('Only entities of this stream.', 'orders')
  stream?: string;

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}

export class DeadLetterListParameters {
  @Text(300)
  @Parameter(
    'Only those that this gave up on: `materializer`, later `projection:<name>`, `pipeline:<name>`.',
    'materializer',
  )
  source?: string;

  @Time()
  @Parameter('Only those made at this time or later (RFC 3339).')
  since?: string;

  @Time()
  @Parameter('Only those made before this time (RFC 3339).')
  until?: string;

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
