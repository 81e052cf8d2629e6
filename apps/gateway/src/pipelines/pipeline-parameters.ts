import { IsIn, IsOptional } from 'class-validator';
import { Schema } from '../openapi/schema.js';

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
