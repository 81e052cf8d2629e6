import { IsIn, IsOptional } from 'class-validator';
import { JsonSchemaPart } from '#gateway-kit';

/** Query parameters of `PUT /api/v1/pipelines/{name}`. */
export class PipelineReplacementParameters {
  @IsOptional()
  @IsIn(['beginning'], { message: 'must be beginning' })
  @JsonSchemaPart({
    type: 'string',
    enum: ['beginning'],
    description:
      '`beginning`: a new job processes everything again and emits it as different events. Default: the job continues where it is.',
  })
  from?: 'beginning';
}
