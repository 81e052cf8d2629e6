import { jsonPointerTo } from '#json';
import type { SchemaProblem } from './invalid-schema-error.js';
import { schemaBounds } from '../bounds.js';
import { formats } from '../values/formats.js';
import { suggestions, keywords } from './keywords.js';
import { isObject, type JsonSchema } from './schema.js';

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Yields the errors in keywords that the meta-schema does not find, such as unknown keywords. */
export function* keywordErrors(pointer: string, schema: JsonSchema): Generator<SchemaProblem> {
  if (!isObject(schema)) return;
  for (const [name, value] of Object.entries(schema)) {
    const detail = unknownDetail(name) ?? valueDetail(name, value) ?? placeDetail(name, value, pointer);
    if (detail !== undefined) yield { pointer: jsonPointerTo(pointer, name), detail };
  }
}

function unknownDetail(name: string): string | undefined {
  return keywords.has(name)
    ? undefined
    : `is not a keyword of JSON Schema 2020-12. ${suggestions.get(name) ?? ''}`.trim();
}

function valueDetail(name: string, value: unknown): string | undefined {
  if (name === 'items' && Array.isArray(value))
    return 'must be one schema. Use prefixItems for a list of them.';
  if (name === 'format' && typeof value === 'string' && !formats.has(value))
    return `is not a supported format. Use one of ${[...formats.keys()].join(', ')}, or a pattern.`;
  return boundDetail(name, value) ?? inexactDetail(name, value);
}

function boundDetail(name: string, value: unknown): string | undefined {
  const { holds } = keywords.get(name) ?? {};
  if (holds !== 'list' && holds !== 'map') return undefined;
  const size = Object.keys(value ?? {}).length;
  const most = schemaBounds.members;
  return size > most ? `has ${size} members; at most ${most} are allowed` : undefined;
}

function inexactDetail(name: string, value: unknown): string | undefined {
  const number = inexactNumber(name, value);
  if (number === undefined) return undefined;
  return `contains the number ${number}, which 64-bit floating point cannot distinguish from its neighbours. Use a string.`;
}

function placeDetail(name: string, value: unknown, pointer: string): string | undefined {
  if (name === '$id' && pointer !== '') return 'is allowed only in the outermost schema';
  if (name !== '$schema') return undefined;
  if (pointer !== '') return 'is allowed only in the outermost schema';
  return typeof value === 'string' && value.replace(/#$/, '') === dialect
    ? undefined
    : `must be "${dialect}": schemas are read as JSON Schema 2020-12`;
}

const compared = new Set(['const', 'enum', 'multipleOf']);
const bounds = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);

/**
 * Returns a number in the value of a schema keyword with which values would not be compared exactly; undefined if there
 * is none. Numbers in a schema are doubles: above 2^53, equality is unreliable, but a bound is still nearly exact.
 */
function inexactNumber(keyword: string, value: unknown): number | undefined {
  if (bounds.has(keyword)) return typeof value === 'number' && !Number.isFinite(value) ? value : undefined;
  return compared.has(keyword) ? largeNumberIn(value) : undefined;
}

function largeNumberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const member of Object.values(value)) {
    const large = largeNumberIn(member);
    if (large !== undefined) return large;
  }
  return undefined;
}
