import { isObject, type JsonSchema, type SchemaObject } from './document/schema.js';
import { isMultipleOf } from './values/decimal.js';
import { canonicalText } from './values/equality.js';

/** The names of the members of a value that a schema has evaluated; undefined if the value does not fit the schema. */
type EvaluatedMembers = Set<string> | undefined;

/**
 * A direct implementation of JSON Schema 2020-12 without regard to speed; the compiled validators must agree with it.
 * This implementation supports only references of the form `#/$defs/name`, and no formats.
 */
export function fitsSpecification(root: JsonSchema, value: unknown): boolean {
  return new ReferenceValidator(root).look(root, value) !== undefined;
}

class ReferenceValidator {
  constructor(private readonly root: JsonSchema) {}

  look(schema: JsonSchema, value: unknown): EvaluatedMembers {
    if (typeof schema === 'boolean') return schema ? new Set() : undefined;
    if (!assertions(schema, value)) return undefined;
    const parts = [...this.inPlace(schema, value), this.members(schema, value), this.items(schema, value)];
    if (parts.some((part) => part === undefined)) return undefined;
    const seen = new Set(parts.flatMap((part) => [...(part ?? [])]));
    return this.unevaluated(schema, value, seen);
  }

  private fits(schema: unknown, value: unknown): boolean {
    return this.look(schema as JsonSchema, value) !== undefined;
  }

  private *inPlace(schema: SchemaObject, value: unknown): Generator<EvaluatedMembers> {
    const all = (schemas: unknown) =>
      ((schemas as JsonSchema[] | undefined) ?? []).map((one) => this.look(one, value));
    if (typeof schema.$ref === 'string') yield this.look(this.definition(schema.$ref), value);
    yield* all(schema.allOf);
    if (schema.anyOf) yield merged(all(schema.anyOf).filter((one) => one !== undefined));
    if (schema.oneOf) {
      const fitting = all(schema.oneOf).filter((one) => one !== undefined);
      yield fitting.length === 1 ? fitting[0] : undefined;
    }
    if ('not' in schema) yield this.fits(schema.not, value) ? undefined : new Set();
    if ('if' in schema) {
      const test = this.look(schema.if as JsonSchema, value);
      if (test) yield test;
      const next = test ? schema.then : schema.else;
      if (next !== undefined) yield this.look(next as JsonSchema, value);
    }
    if (isObject(schema.dependentSchemas) && isObject(value))
      for (const [name, one] of Object.entries(schema.dependentSchemas))
        if (Object.hasOwn(value, name)) yield this.look(one as JsonSchema, value);
  }

  private definition(ref: string): JsonSchema {
    const name = ref.replace('#/$defs/', '');
    return (isObject(this.root) ? (this.root.$defs as Record<string, JsonSchema>)[name] : undefined) ?? false;
  }

  private members(schema: SchemaObject, value: unknown): EvaluatedMembers {
    const seen = new Set<string>();
    if (!isObject(value)) return seen;
    const { properties, patternProperties, additionalProperties, propertyNames } = schema;
    for (const [name, member] of Object.entries(value)) {
      const own: unknown[] =
        isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
      const patterns = Object.entries(patternProperties ?? {}).filter(([source]) =>
        new RegExp(source, 'u').test(name),
      );
      const schemas: unknown[] = [...own, ...patterns.map(([, one]) => one as unknown)];
      if (schemas.length === 0 && additionalProperties !== undefined) schemas.push(additionalProperties);
      if (!schemas.every((one) => this.fits(one, member))) return undefined;
      if (propertyNames !== undefined && !this.fits(propertyNames, name)) return undefined;
      if (schemas.length > 0) seen.add(name);
    }
    return seen;
  }

  private items(schema: SchemaObject, value: unknown): EvaluatedMembers {
    if (!Array.isArray(value)) return new Set();
    const prefix = (schema.prefixItems as unknown[] | undefined) ?? [];
    const fit = value.every((item, index) =>
      this.fits(index < prefix.length ? prefix[index] : (schema.items ?? true), item),
    );
    if (!('contains' in schema)) return fit ? new Set() : undefined;
    const count = value.filter((item) => this.fits(schema.contains, item)).length;
    const { minContains = 1, maxContains = Infinity } = schema as Record<string, number>;
    return fit && count >= minContains && count <= maxContains ? new Set() : undefined;
  }

  private unevaluated(schema: SchemaObject, value: unknown, seen: Set<string>): EvaluatedMembers {
    if (!('unevaluatedProperties' in schema) || !isObject(value)) return seen;
    const rest = Object.keys(value).filter((name) => !seen.has(name));
    return rest.every((name) => this.fits(schema.unevaluatedProperties, value[name]))
      ? new Set(Object.keys(value))
      : undefined;
  }
}

function merged(outcomes: (Set<string> | undefined)[]): EvaluatedMembers {
  return outcomes.length === 0 ? undefined : new Set(outcomes.flatMap((one) => [...(one ?? [])]));
}

function assertions(schema: SchemaObject, value: unknown): boolean {
  const limit = schema as Record<string, number | undefined>;
  const { type, required, dependentRequired } = schema;
  if (type !== undefined && !([type].flat() as string[]).some((one) => isOfType(value, one))) return false;
  if ('const' in schema && canonicalText(schema.const) !== canonicalText(value)) return false;
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => canonicalText(one) === canonicalText(value)))
    return false;
  if (typeof value === 'number') return numberFits(limit, value);
  if (typeof value === 'string')
    return (
      isBetween([...value].length, limit.minLength, limit.maxLength) && patternFits(schema.pattern, value)
    );
  if (Array.isArray(value))
    return (
      isBetween(value.length, limit.minItems, limit.maxItems) &&
      (!schema.uniqueItems || new Set(value.map(canonicalText)).size === value.length)
    );
  if (!isObject(value)) return true;
  if (!isBetween(Object.keys(value).length, limit.minProperties, limit.maxProperties)) return false;
  const needed = Object.entries(dependentRequired ?? {}).flatMap(([name, names]) =>
    Object.hasOwn(value, name) ? (names as string[]) : [],
  );
  return [...((required as string[] | undefined) ?? []), ...needed].every((name) =>
    Object.hasOwn(value, name),
  );
}

function numberFits(limit: Record<string, number | undefined>, value: number): boolean {
  const {
    minimum = -Infinity,
    maximum = Infinity,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
  } = limit;
  if (limit.multipleOf !== undefined && !isMultipleOf(limit.multipleOf)(value)) return false;
  return value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
}

function isBetween(count: number, least = 0, most = Infinity): boolean {
  return count >= least && count <= most;
}

function patternFits(pattern: unknown, value: string): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
