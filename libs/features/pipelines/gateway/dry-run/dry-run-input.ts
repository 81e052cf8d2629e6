import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { dryRunLimits } from '#dataflow';
import { JsonSchemaPart } from '#gateway-kit';
import { PipelineReplacementInput } from '../pipeline-input.js';

/**
 * Body of `POST /api/v1/pipelines/dry-run`: a pipeline definition, and events to try it with. `readDryRunBody` validates
 * the events.
 */
@JSONSchema({ additionalProperties: false })
export class DryRunInput {
  @IsObject()
  @ValidateNested()
  @Type(() => PipelineReplacementInput)
  definition: PipelineReplacementInput;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(dryRunLimits.events)
  @JsonSchemaPart({
    type: 'array',
    minItems: 1,
    maxItems: dryRunLimits.events,
    items: { $ref: '#/components/schemas/EventInput' },
    description:
      'The events in the form in which they would be written, in the order in which the pipeline would read them.',
    example: [{ stream: 'orders', event_type: 'order.placed', data: { amount: 120.5, currency: 'EUR' } }],
  })
  events: object[];
}
