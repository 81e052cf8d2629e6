import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsDefined, IsIn, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { compatibilities, type SchemaCompatibility } from '#json-schema';
import { schemaModes, type SchemaEnforcementMode, type SchemaSubject, type SchemaVersion } from '#registry';
import { ListAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';

/** OpenAPI schema of one version of a registered JSON Schema. */
export class SchemaAnswer {
  @IsString() stream: string;
  @IsString() event_type: string;
  @IsInt() @Min(1) version: number;
  @IsIn(compatibilities) compatibility: SchemaCompatibility;
  @IsIn(schemaModes) mode: SchemaEnforcementMode;
  @IsDefined() @JsonSchemaPart({ description: 'The JSON Schema.' }) schema: unknown;
  @JsonSchemaPart({ type: 'string', format: 'date-time' }) @IsString() created_at: string;
}

/** Answer of `GET /api/v1/schemas`: one page of schemas. */
export class SchemaList extends ListAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => SchemaAnswer) schemas: SchemaAnswer[];
}

/** A reason why a schema is incompatible, and where in the schema it is. */
class IncompatibilityAnswer {
  @IsString() @JsonSchemaPart({ description: 'A JSON pointer into the body.' }) pointer: string;
  @IsString() detail: string;
}

/** Answer of the compatibility check of a schema that is not registered. */
export class SchemaCheckAnswer {
  @IsBoolean() compatible: boolean;
  @IsInt()
  @Min(1)
  @JsonSchemaPart({ description: 'The version that the schema has or would get.' })
  version: number;
  @IsIn(compatibilities)
  @JsonSchemaPart({ description: 'The compatibility that was checked.' })
  compatibility: SchemaCompatibility;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => IncompatibilityAnswer)
  errors: IncompatibilityAnswer[];
}

/** A violation of a schema, and where in the event it is. */
class ViolationAnswer {
  @IsString()
  @JsonSchemaPart({ description: 'A JSON pointer into the event, such as `/data/amount`.' })
  pointer: string;
  @IsString() detail: string;
}

const violationCodes = ['schema_violation', 'schema_too_expensive'] as const;

/** Answer of the check of data against a registered schema. */
export class DataValidationAnswer {
  @IsBoolean() valid: boolean;
  @IsInt() @Min(1) @JsonSchemaPart({ description: 'The version that was checked.' }) version: number;
  @Nullable('string', {
    enum: [...violationCodes, null],
    description: 'The code with which a write of this data is rejected; null if the data matches.',
  })
  code: (typeof violationCodes)[number] | null;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ViolationAnswer)
  @JsonSchemaPart({ description: 'At most 20 violations.' })
  errors: ViolationAnswer[];
}

/**
 * Converts a version to its form in the API. Compatibility and mode are those that currently apply to the subject, not
 * those at the time of the version.
 */
export function schemaAnswer(
  subject: SchemaSubject,
  { version, schema, created_at }: SchemaVersion,
): SchemaAnswer {
  const { stream, event_type, compatibility, mode } = subject;
  return { stream, event_type, version, compatibility, mode, schema, created_at };
}

/** Returns the latest version. A subject has at least one. */
export function latestVersion({ versions }: SchemaSubject): SchemaVersion {
  return versions.at(-1)!;
}
