import { type SchemaProblem, throwInvalidSchema, throwIfInvalid } from './invalid-schema-error.js';
import { costErrors, ownStepsOf } from './cost-errors.js';
import { type CheckedSchemaDocument, isSchema, type JsonSchema, subschemasOf } from './schema.js';
import { keywordErrors } from './keyword-errors.js';
import { metaSchemaErrors } from './meta-schema.js';
import { patternErrors } from './pattern-errors.js';
import { resolveReferences } from './references.js';
import { sizeErrors, countErrors, rootErrors } from './size-errors.js';

/**
 * Checks parsed JSON that should be a JSON Schema (2020-12), and returns it as a schema document. The check takes
 * bounded time for any input. With `objectsOnly`, a schema that rejects every object is an error, too.
 * @throws InvalidSchemaError with a JSON pointer and a sentence for each error, at most 20; it throws no other error
 */
export function readDocument(schema: unknown, { objectsOnly = false } = {}): CheckedSchemaDocument {
  if (!isSchema(schema)) return throwInvalidSchema([{ pointer: '', detail: 'must be an object, or true' }]);
  throwIfInvalid(sizeErrors(schema));
  const meta = metaSchemaErrors(schema);
  const subschemas = subschemasOf(schema);
  const { targets, errors } = resolveReferences(subschemas);
  const own = [
    ...dialectFirst(subschemas),
    ...patternErrors(subschemas),
    ...errors,
    ...countErrors(subschemas),
  ];
  throwIfInvalid([...own, ...meta.filter(({ pointer }) => !own.some((error) => error.pointer === pointer))]);
  const document = documentOf(schema, { subschemas, targets });
  throwIfInvalid([...(objectsOnly ? rootErrors(schema) : []), ...costErrors(document)]);
  return document;
}

/**
 * Returns the same as `readDocument` for a schema that `readDocument` has accepted before, and is much faster, because
 * it repeats few of the checks.
 * @throws InvalidSchemaError when `readDocument` cannot have accepted the schema
 */
export function readAcceptedDocument(schema: unknown): CheckedSchemaDocument {
  if (!isSchema(schema)) return throwInvalidSchema([{ pointer: '', detail: 'must be an object, or true' }]);
  const subschemas = subschemasOf(schema);
  const { targets, errors } = resolveReferences(subschemas);
  throwIfInvalid(errors);
  return documentOf(schema, { subschemas, targets });
}

function documentOf(
  root: JsonSchema,
  parts: Pick<CheckedSchemaDocument, 'subschemas' | 'targets'>,
): CheckedSchemaDocument {
  return { root, ...parts, weightOf: (pointer) => ownStepsOf(parts.subschemas.get(pointer)) };
}

/** Returns the errors in the keywords of all schemas. Throws only the error of another dialect, if any. */
function dialectFirst(subschemas: ReadonlyMap<string, JsonSchema>): SchemaProblem[] {
  const found = [...subschemas].flatMap(([pointer, schema]) => [...keywordErrors(pointer, schema)]);
  const dialect = found.filter(({ pointer }) => pointer === '/$schema');
  throwIfInvalid(dialect);
  return found;
}
