import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { operators, pipelineLimits, type PipelineSpec } from '#dataflow';
import { AsSent } from '#http';
import { NewName, SameName } from '../definitions/definition-names.js';
import { Schema } from '../openapi/schema.js';
import { ProjectionSourceInput } from '../projections/projection-input.js';

export const pipelineStarts = ['beginning', 'now'] as const;

/** Which events a pipeline processes. */
@JSONSchema({ additionalProperties: false })
export class PipelineSourceInput extends ProjectionSourceInput {
  @IsOptional()
  @IsString()
  @Schema({
    type: 'string',
    description:
      'After so long at the end of its log without an event, a partition holds back no window any more, and its time ' +
      'goes on with the clock. Default: `30s`.',
    example: '30s',
  })
  idle_after?: string | null;
}

const operatorsDescription = [
  'What happens to each event, one after another; each is an object with exactly one member:',
  '',
  ...Object.entries(operators).map(([name, { summary }]) => `- \`${name}\`: ${summary}`),
].join('\n');

/** What a pipeline does with which events. */
@JSONSchema({ additionalProperties: false })
export class PipelineSpecInput {
  @IsObject()
  @ValidateNested()
  @Type(() => PipelineSourceInput)
  source: PipelineSourceInput;

  /** Read by `wantedPipeline`: what is wrong with an operator is told with its place. */
  @AsSent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(pipelineLimits.operators)
  @Schema({
    type: 'array',
    minItems: 1,
    maxItems: pipelineLimits.operators,
    items: { type: 'object', minProperties: 1, maxProperties: 1 },
    description: operatorsDescription,
    example: [
      { filter: 'event.data.amount > 100.0' },
      { window: { tumbling: '1m', key: 'event.data.currency', lateness: '10s' } },
      { reduce: { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } } },
      { emit: { stream: 'revenue_per_minute', event_type: 'revenue.minute' } },
    ],
  })
  operators: object[];

  @IsOptional()
  @IsIn(pipelineStarts, { message: `must be ${pipelineStarts.join(' or ')}` })
  @Schema({
    type: 'string',
    enum: [...pipelineStarts],
    description: 'Where it begins in a stream that it has not read yet. Default: `beginning`.',
  })
  from?: PipelineSpec['from'] | null;
}

/** A pipeline that is to be made. */
@JSONSchema({ additionalProperties: false })
export class PipelineInput extends PipelineSpecInput {
  @NewName('big_orders')
  name: string;
}

/** What a pipeline shall be from now on. */
@JSONSchema({ additionalProperties: false })
export class PipelineReplacementInput extends PipelineSpecInput {
  @SameName()
  name?: string | null;
}
