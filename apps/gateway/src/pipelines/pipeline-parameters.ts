import { IsIn, IsOptional } from 'class-validator';
import { limits } from '#event';
import { Schema } from '../openapi/schema.js';
import { Cursor, PageLimit } from '../parameters/decorators.js';

export class PipelineListParameters {
  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}

export class PipelineReplacementParameters {
  @IsOptional()
  @IsIn(['beginning'], { message: 'must be beginning' })
  @Schema({
    type: 'string',
    enum: ['beginning'],
    description:
      'Everything is processed again, by a new run; what it emits are other events. Default: it goes on where it is.',
  })
  from?: 'beginning';
}
