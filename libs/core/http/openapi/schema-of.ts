import { ApiBody, ApiQuery } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
// @ts-expect-error The package has no types for this file, and does not export its metadata elsewhere.
import classTransformer from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, MAX, MIN, ValidationTypes } from 'class-validator';
import { targetConstructorToSchema, validationMetadatasToSchemas } from 'class-validator-jsonschema';
import { charactersRule } from '#api';

type JsonSchema = Record<string, unknown> & {
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

const { defaultMetadataStorage } = classTransformer as { defaultMetadataStorage: object };

/** Temporary members of a property's schema: whether class-validator's conditions skip null and undefined. */
const mayBeNull = 'x-may-be-null';
const mayBeAbsent = 'x-may-be-absent';
/** Schema addition for a property that is optional in its class: the document lists it as required. */
export const askedFor = { [mayBeAbsent]: false };

type Options = NonNullable<Parameters<typeof validationMetadatasToSchemas>[0]>;
type Condition = (object: object, value: unknown) => boolean;

const converters: NonNullable<Options['additionalConverters']> = {
  // A custom validator documents itself with @JSONSchema.
  [ValidationTypes.CUSTOM_VALIDATION]: {},
  [charactersRule]: ({ constraints }) => ({
    type: 'string',
    minLength: constraints[0] as number,
    maxLength: constraints[1] as number,
  }),
  [ValidationTypes.CONDITIONAL_VALIDATION]: ({ constraints, propertyName }) => {
    const holds = constraints[0] as Condition;
    const unchecked = (value: unknown) => !holds({ [propertyName]: value }, value);
    return { [mayBeNull]: unchecked(null), [mayBeAbsent]: unchecked(undefined) };
  },
  // Another decorator of the property says whether the number is an integer.
  [MIN]: ({ constraints }) => ({ minimum: constraints[0] as number }),
  [MAX]: ({ constraints }) => ({ maximum: constraints[0] as number }),
};

/**
 * Returns the JSON Schemas (2020-12) of all loaded class-validator classes, by class name. A property may be null if
 * `@IsOptional()` or `@ValidateIf()` skips null. A property is required if they do not skip undefined. A class with
 * `minProperties` has no required properties.
 */
export function componentSchemas(): Record<string, JsonSchema> {
  const schemas = validationMetadatasToSchemas(options()) as Record<string, JsonSchema>;
  for (const schema of Object.values(schemas)) applyConditions(schema, orNull);
  return schemas;
}

function options() {
  return {
    classValidatorMetadataStorage: getMetadataStorage(),
    classTransformerMetadataStorage: defaultMetadataStorage as never,
    refPointerPrefix: '#/components/schemas/',
    additionalConverters: converters,
  };
}

function applyConditions(schema: JsonSchema, nullable: (property: JsonSchema) => JsonSchema): void {
  const { properties = {}, required = [] } = schema;
  for (const [name, marked] of Object.entries(properties)) {
    const { [mayBeNull]: orIsNull, [mayBeAbsent]: orIsAbsent, ...property } = marked;
    properties[name] = orIsNull ? nullable(property) : property;
    if (orIsAbsent === false && schema.minProperties === undefined) required.push(name);
  }
  if (required.length > 0) schema.required = required;
}

function orNull({ type, enum: values, $ref, oneOf, ...rest }: JsonSchema): JsonSchema {
  const nullType = { type: 'null' };
  if ($ref !== undefined) return { ...rest, anyOf: [{ $ref }, nullType] };
  if (Array.isArray(oneOf)) return { ...rest, oneOf: [...(oneOf as object[]), nullType] };
  return {
    ...rest,
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(values) && { enum: [...new Set([...(values as unknown[]), null])] }),
  };
}

/** Returns the JSON Schema of one class-validator class, from which a validator can be compiled. */
export function schemaOf(type: new () => object): JsonSchema {
  const schema = componentSchemas()[type.name];
  if (!schema) throw new Error(`${type.name} has no class-validator decorators`);
  return schema;
}

/** Documents the body of a route with the class that validates it. */
export function DescribeBody(type: new () => object): MethodDecorator {
  return ApiBody({ schema: { $ref: `#/components/schemas/${type.name}` } });
}

/** Documents the query parameters of a route with the class that validates them. A query string cannot contain null. */
export function DescribeQuery(type: new () => object): MethodDecorator {
  // Convert only this class: converting all classes for each route made the start slow.
  const schema = targetConstructorToSchema(type, options()) as JsonSchema;
  applyConditions(schema, (property) => property);
  const required = new Set(schema.required);
  const parameters = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { description } = property;
    const described = typeof description === 'string' && { description };
    return ApiQuery({ name, required: required.has(name), schema: property, ...described });
  });
  return applyDecorators(...parameters);
}
