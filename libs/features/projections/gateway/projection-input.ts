import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsNotEmptyObject,
  IsObject,
  IsOptional,
  Matches,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Characters, plainTextPattern } from '#api';
import { limits, streamNamePattern, streamNameRule } from '#event';
import { projectionLimits, type ProjectionSpec } from '#features/projections/definition';
import { startPositions } from '#registry';
import { foldLimits, foldOperations } from '#dataflow';
import { Verbatim } from '#http';
import { NewDefinitionName, OptionalDefinitionName, JsonSchemaPart, ObjectOf } from '#gateway-kit';

/** OpenAPI schema and validation of the member `source` of a projection definition. */
@JSONSchema({ additionalProperties: false })
export class ProjectionSourceInput {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(projectionLimits.streams)
  @ArrayUnique()
  @Matches(streamNamePattern, { each: true, message: streamNameRule })
  @JsonSchemaPart({ description: 'Names of existing streams.', example: ['orders'] })
  streams: string[];

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(limits.filterValues)
  @ArrayUnique()
  @Characters({ most: limits.eventTypeCharacters }, { each: true })
  @Matches(plainTextPattern, {
    each: true,
    message: 'must not contain control characters or half surrogate pairs',
  })
  @JsonSchemaPart({ description: 'Default: events of every type.', example: ['order.placed'] })
  event_types?: string[] | null;

  @IsOptional()
  @Characters({ least: 0, most: limits.whereCharacters })
  @JsonSchemaPart({
    description: 'A CEL expression, as in queries. Events for which it is not true are skipped.',
    example: 'event.data.amount > 0.0',
  })
  where?: string | null;
}

/**
 * OpenAPI schema of one field of a projection's state. `validatedProjection` validates the fields, because they may
 * have any names.
 */
@JSONSchema({ additionalProperties: false })
export class ProjectionFieldInput {
  @IsIn(Object.keys(foldOperations))
  op: string;

  @IsOptional()
  @Characters({ least: 0, most: limits.whereCharacters })
  @JsonSchemaPart({
    description:
      'A CEL expression on the event. Every operation except `count` needs one; a null result adds nothing.',
    example: 'event.data.amount',
  })
  value?: string | null;

  @IsOptional()
  @Characters({ least: 0, most: limits.whereCharacters })
  @JsonSchemaPart({
    description: 'Only for `top`, which needs it: a CEL expression for the value that events are sorted by.',
    example: 'event.data.amount',
  })
  by?: string | null;

  @IsOptional()
  @JsonSchemaPart({
    type: 'integer',
    minimum: 1,
    maximum: foldLimits.topItems,
    description: 'Only for `top`, which needs it: how many events it keeps.',
    example: 10,
  })
  n?: number | null;

  @IsOptional()
  @JsonSchemaPart({
    type: 'array',
    minItems: 1,
    maxItems: foldLimits.quantiles,
    uniqueItems: true,
    items: { type: 'number', minimum: 0, maximum: 1 },
    description:
      'Only for `quantile`, which needs it: the probabilities of the quantiles, such as 0.5 for the median.',
    example: [0.5, 0.99],
  })
  p?: number[] | null;
}

/** The definition in the examples of the OpenAPI document. */
const exampleSpec = {
  source: { streams: ['orders'], event_types: ['order.placed'] },
  key: 'event.data.currency',
  fields: { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } },
};

/** Members of every body that defines a projection: the events that it folds, its key and its fields. */
@JSONSchema({ additionalProperties: false })
export class ProjectionSpecInput {
  @IsObject()
  @ObjectOf(ProjectionSourceInput)
  source: ProjectionSourceInput;

  @IsOptional()
  @Characters({ least: 0, most: limits.whereCharacters })
  @JsonSchemaPart({
    description:
      'A CEL expression: events with the same key are folded into one state. Events with the key null are ' +
      'skipped. Default: `event.entity_id`.',
    example: 'event.data.currency',
  })
  key?: string | null;

  @Verbatim()
  @IsObject()
  @IsNotEmptyObject({ nullable: true }, { message: `has 1 to ${foldLimits.fields} fields` })
  @JsonSchemaPart({
    type: 'object',
    minProperties: 1,
    maxProperties: foldLimits.fields,
    additionalProperties: { $ref: '#/components/schemas/ProjectionFieldInput' },
    example: { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } },
  })
  fields: object;

  @IsOptional()
  @Characters({ most: 20 })
  @JsonSchemaPart({
    description:
      'How long the history of each key is kept: `enrich` with `as_of` in a pipeline reads it. A duration of 1h to ' +
      '3660d. Default: none is kept. A changed length starts a new generation.',
    example: '30d',
  })
  history?: string | null;

  @IsOptional()
  @IsIn(startPositions, { message: `must be ${startPositions.join(' or ')}` })
  @JsonSchemaPart({ type: 'string', description: 'Where each generation starts. Default: `beginning`.' })
  from?: ProjectionSpec['from'] | null;
}

/** Body of `POST /api/v1/projections`. */
@JSONSchema({
  additionalProperties: false,
  example: { name: 'orders_by_currency', ...exampleSpec },
})
export class ProjectionInput extends ProjectionSpecInput {
  @NewDefinitionName('orders_by_currency')
  name: string;
}

/** Body of `PUT /api/v1/projections/{name}`. */
@JSONSchema({
  additionalProperties: false,
  example: exampleSpec,
})
export class ProjectionReplacementInput extends ProjectionSpecInput {
  @OptionalDefinitionName()
  name?: string | null;
}
