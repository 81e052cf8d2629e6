import type { InputError } from '#contracts';
import { schemaBounds } from '../bounds.js';
import { costErrors } from './cost-errors.js';
import { keywordErrors } from './keyword-errors.js';
import { below } from './json-pointer.js';
import { metaSchemaErrors } from './meta-schema.js';
import { patternErrors } from './pattern-errors.js';
import { refuse, refuseAny } from './refuse.js';
import { resolveReferences } from './references.js';
import { isObject, isSchema, type Schema } from './schema.js';
import { sizeErrors } from './size-errors.js';
import { subschemasOf } from './walk.js';

/** A JSON Schema that has been looked through: it is valid, small, refers to itself only, and can be checked in time. */
export interface SchemaDocument {
  root: Schema;
  /** Every schema in it by its JSON pointer, '' first. */
  subschemas: ReadonlyMap<string, Schema>;
  /** Where the `$ref` of the schema at a pointer leads. */
  targets: ReadonlyMap<string, string>;
  /** Steps that the schema at a pointer takes of its own for one value. */
  weightOf: (pointer: string) => number;
}

/**
 * Looks through what somebody calls a JSON Schema (2020-12), as parsed JSON. No input makes it slow or fail otherwise.
 * @throws InvalidSchemaError with a pointer and a sentence for each of up to 20 faults
 */
export function readDocument(schema: unknown): SchemaDocument {
  if (!isSchema(schema)) return refuse([{ pointer: '', detail: 'must be an object, or true' }]);
  refuseAny(sizeErrors(schema));
  const meta = metaSchemaErrors(schema);
  const subschemas = subschemasOf(schema);
  const { targets, errors } = resolveReferences(subschemas);
  const own = [
    ...dialectFirst(subschemas),
    ...patternErrors(subschemas),
    ...errors,
    ...countErrors(subschemas),
    ...conditionErrors(subschemas),
  ];
  refuseAny([...own, ...meta.filter(({ pointer }) => !own.some((error) => error.pointer === pointer))]);
  const document = {
    root: schema,
    subschemas,
    targets,
    weightOf: (at: string) => weightOf(at, subschemas.get(at)),
  };
  refuseAny([...rootErrors(schema), ...costErrors(document)]);
  return document;
}

/** A schema of another version of JSON Schema has one fault, whatever follows from it. */
function dialectFirst(subschemas: ReadonlyMap<string, Schema>): InputError[] {
  const found = [...subschemas].flatMap(([pointer, schema]) => [...keywordErrors(pointer, schema)]);
  const dialect = found.filter(({ pointer }) => pointer === '/$schema');
  refuseAny(dialect);
  return found;
}

function* countErrors(subschemas: ReadonlyMap<string, Schema>): Generator<InputError> {
  const most = schemaBounds.subschemas;
  if (subschemas.size > most)
    yield { pointer: '', detail: `holds ${subschemas.size} schemas; at most ${most} are allowed` };
}

/** Ajv takes the properties that `if` names for looked at when it does not apply, and for not looked at without `then`. */
function* conditionErrors(subschemas: ReadonlyMap<string, Schema>): Generator<InputError> {
  const schemas = [...subschemas].filter(([, schema]) => isObject(schema));
  if (!schemas.some(([, schema]) => Object.hasOwn(schema as object, 'if'))) return;
  const detail = 'cannot be checked in a document that also uses if. Use anyOf or oneOf instead of if.';
  for (const [pointer, schema] of schemas)
    if (Object.hasOwn(schema as object, 'unevaluatedProperties'))
      yield { pointer: below(pointer, 'unevaluatedProperties'), detail };
}

function* rootErrors(root: Schema): Generator<InputError> {
  const detail = 'refuses every event: the data of an event is always an object';
  if (root === false) yield { pointer: '', detail };
  else if (isObject(root) && root.type !== undefined && ![root.type].flat().includes('object'))
    yield { pointer: '/type', detail };
}

/** Reached for each member of an object, whose names have to be found first. */
const perMember = /\/(?:additionalProperties|unevaluatedProperties|propertyNames|patternProperties\/[^/]*)$/;

/** Named things are looked up one by one. */
function weightOf(pointer: string, schema: Schema | undefined): number {
  if (!isObject(schema)) return 0;
  const { properties, required, dependentRequired, dependentSchemas } = schema;
  const names = [properties, required, dependentRequired, dependentSchemas].flatMap((value) =>
    typeof value === 'object' && value !== null ? Object.keys(value) : [],
  );
  const inner = isObject(dependentRequired) ? Object.values(dependentRequired).flat() : [];
  return (perMember.test(pointer) ? 8 : 1) + Math.ceil((names.length + inner.length) / 4);
}
