import { IsBoolean } from 'class-validator';
import { FromText } from '#api';
import { limits } from '#event';
import { Schema } from '../openapi/schema.js';
import { Cursor, PageLimit, Parameter, Text, Time } from '../parameters/decorators.js';

export class DeadLetterListParameters {
  @Text(300)
  @Parameter(
    'Only those that this gave up on: `materializer`, `projection:<name>` or `pipeline:<name>`.',
    'materializer',
  )
  source?: string;

  @FromText('boolean')
  @IsBoolean({ message: 'must be true or false' })
  @Parameter('Only those that were replayed, or only those that were not.')
  @Schema({ type: 'boolean' })
  replayed?: boolean;

  @Time('Only those made at this time or later')
  since?: string;

  @Time('Only those made before this time')
  until?: string;

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
