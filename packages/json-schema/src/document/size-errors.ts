import { jsonPointerTo, maxJsonDepth } from '#json';
import type { SchemaProblem } from './invalid-schema-error.js';
import { schemaBounds } from '../bounds.js';
import { isObject, type JsonSchema } from './schema.js';

/**
 * Returns one error if the JSON of a schema is nested too deeply, has an object or array with too many members, or is
 * too large; else an empty list. Later checks may use recursion, because this check limits the nesting without
 * recursion.
 */
export function sizeErrors(schema: unknown): SchemaProblem[] {
  const open: { value: unknown; pointer: string; depth: number }[] = [
    { value: schema, pointer: '', depth: 1 },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, pointer, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maxJsonDepth) return [{ pointer, detail: `is nested more than ${maxJsonDepth} levels deep` }];
    const members = Object.entries(value);
    if (members.length > schemaBounds.values)
      return [
        { pointer, detail: `has ${members.length} members; at most ${schemaBounds.values} are allowed` },
      ];
    for (const [name, member] of members)
      open.push({ value: member, pointer: jsonPointerTo(pointer, name), depth: depth + 1 });
  }
  const bytes = Buffer.byteLength(JSON.stringify(schema) ?? '');
  if (bytes <= schemaBounds.bytes) return [];
  return [{ pointer: '', detail: `has ${bytes} bytes of JSON; at most ${schemaBounds.bytes} are allowed` }];
}

/** Yields an error if a schema document contains too many schemas. */
export function* countErrors(subschemas: ReadonlyMap<string, JsonSchema>): Generator<SchemaProblem> {
  const most = schemaBounds.subschemas;
  if (subschemas.size > most)
    yield { pointer: '', detail: `contains ${subschemas.size} schemas; at most ${most} are allowed` };
}

/** Yields an error if the outermost schema rejects every object. */
export function* rootErrors(root: JsonSchema): Generator<SchemaProblem> {
  const detail = 'rejects every object, and only objects are validated';
  if (root === false) yield { pointer: '', detail };
  else if (isObject(root) && root.type !== undefined && ![root.type].flat().includes('object'))
    yield { pointer: '/type', detail };
}
