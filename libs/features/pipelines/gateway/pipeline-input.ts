import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { operators, pipelineLimits, type PipelineSpec } from '#features/pipelines/computation';
import { Verbatim } from '#http';
import { startPositions } from '#registry';
import { NewDefinitionName, OptionalDefinitionName, JsonSchemaPart, ObjectOf } from '#gateway-kit';
import { ProjectionSourceInput } from '#features/projections';

/** OpenAPI schema and validation of the member `source` of a pipeline definition. */
@JSONSchema({ additionalProperties: false })
class PipelineSourceInput extends ProjectionSourceInput {
  @IsOptional()
  @IsString()
  @JsonSchemaPart({
    type: 'string',
    description:
      'How long a partition may have no event at the end of its log before it is idle. An idle partition ' +
      'holds back no window: its time follows the clock. Default: `30s`.',
    example: '30s',
  })
  idle_after?: string | null;
}

const operatorsDescription = [
  'The operators that process each event, in this order. Each is an object with exactly one member:',
  '',
  ...Object.entries(operators).map(([name, { summary }]) => `- \`${name}\`: ${summary}`),
].join('\n');

/** The definition in the examples of the OpenAPI document. */
export const exampleSpec = {
  source: { streams: ['orders'], event_types: ['order.placed'] },
  operators: [
    { filter: 'event.data.amount > 50.0' },
    { emit: { stream: 'large_orders', event_type: 'order.large' } },
  ],
};

/** Members of every body that defines a pipeline: the events that it processes, and its operators. */
@JSONSchema({ additionalProperties: false })
export class PipelineSpecInput {
  @IsObject()
  @ObjectOf(PipelineSourceInput)
  source: PipelineSourceInput;

  /**
   * The class accepts any array: `validatedPipeline` validates the operators, so that errors name the exact position in
   * them.
   */
  @Verbatim()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(pipelineLimits.operators)
  @JsonSchemaPart({
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
  @IsIn(startPositions, { message: `must be ${startPositions.join(' or ')}` })
  @JsonSchemaPart({
    type: 'string',
    enum: [...startPositions],
    description: 'Where the pipeline starts in a stream that it has not read yet. Default: `beginning`.',
  })
  from?: PipelineSpec['from'] | null;
}

/** Body of `POST /api/v1/pipelines`. */
@JSONSchema({
  additionalProperties: false,
  example: { name: 'large_orders', ...exampleSpec },
})
export class PipelineInput extends PipelineSpecInput {
  @NewDefinitionName('large_orders')
  name: string;
}

/** Body of `PUT /api/v1/pipelines/{name}`. */
@JSONSchema({
  additionalProperties: false,
  example: exampleSpec,
})
export class PipelineReplacementInput extends PipelineSpecInput {
  @OptionalDefinitionName()
  name?: string | null;
}

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
