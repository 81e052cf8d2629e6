import { jsonPointerTo, maxJsonDepth } from '#json';
import type { SchemaProblem } from '../schema-problem.js';
import { schemaBounds } from '../bounds.js';

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
