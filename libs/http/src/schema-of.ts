import { ApiBody, ApiQuery } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
// @ts-expect-error The package has no types for this file, and does not export its metadata otherwise.
import classTransformer from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';

type JsonSchema = Record<string, unknown> & {
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

const { defaultMetadataStorage } = classTransformer as { defaultMetadataStorage: object };

/**
 * JSON Schemas of all class-validator classes that are loaded, by class name. What is optional may also be null, as in
 * class-validator.
 */
export function componentSchemas(): Record<string, JsonSchema> {
  const schemas = validationMetadatasToSchemas({
    classValidatorMetadataStorage: getMetadataStorage(),
    classTransformerMetadataStorage: defaultMetadataStorage as never,
    refPointerPrefix: '#/components/schemas/',
    // A validator of our own says what it means with @JSONSchema beside it.
    additionalConverters: { [ValidationTypes.CUSTOM_VALIDATION]: {} },
  }) as Record<string, JsonSchema>;
  for (const schema of Object.values(schemas)) allowNull(schema);
  return schemas;
}

function allowNull({ properties = {}, required = [] }: JsonSchema): void {
  for (const [name, property] of Object.entries(properties))
    if (property.type && !required.includes(name)) property.nullable = true;
}

/** The JSON Schema of one class-validator class, for compiling a validator of it. */
export function schemaOf(type: new () => object): JsonSchema {
  const schema = componentSchemas()[type.name];
  if (!schema) throw new Error(`${type.name} has no class-validator decorators`);
  return schema;
}

/** Documents a route's body as the class that validates it. */
export function DescribeBody(type: new () => object): MethodDecorator {
  return ApiBody({ schema: { $ref: `#/components/schemas/${type.name}` } });
}

/** Documents a route's query parameters as the class that validates them. */
export function DescribeQuery(type: new () => object): MethodDecorator {
  const schema = componentSchemas()[type.name];
  const required = new Set(schema?.required);
  const parameters = Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const description = typeof property.description === 'string' ? { description: property.description } : {};
    const option = { name, required: required.has(name), schema: property, ...description };
    return ApiQuery(option);
  });
  return applyDecorators(...parameters);
}
