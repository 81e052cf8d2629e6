import { jsonPointerTo } from '#json';
import type { SchemaProblem } from './invalid-schema-error.js';
import { isObject, type JsonSchema } from './schema.js';

/** The target of each `$ref` by the pointer of the referring schema, and the errors of broken references. */
interface ResolvedReferences {
  targets: ReadonlyMap<string, string>;
  errors: SchemaProblem[];
}

/** Resolves every `$ref` of a document. Only references within the document are supported; nothing is fetched. */
export function resolveReferences(subschemas: ReadonlyMap<string, JsonSchema>): ResolvedReferences {
  const anchors = anchorsOf(subschemas);
  const root = subschemas.get('');
  const id = isObject(root) && typeof root.$id === 'string' ? root.$id.replace(/#$/, '') : undefined;
  const targets = new Map<string, string>();
  const errors = [...anchors.errors];
  for (const [pointer, schema] of subschemas) {
    if (!isObject(schema) || typeof schema.$ref !== 'string') continue;
    const target = placeOf(withoutId(schema.$ref, id), anchors.places);
    if (target !== undefined && subschemas.has(target)) targets.set(pointer, target);
    else errors.push({ pointer: jsonPointerTo(pointer, '$ref'), detail: brokenDetail(schema.$ref, target) });
  }
  return { targets, errors };
}

function anchorsOf(subschemas: ReadonlyMap<string, JsonSchema>) {
  const places = new Map<string, string>();
  const errors: SchemaProblem[] = [];
  for (const [pointer, schema] of subschemas) {
    if (!isObject(schema) || typeof schema.$anchor !== 'string') continue;
    if (places.has(schema.$anchor))
      errors.push({
        pointer: jsonPointerTo(pointer, '$anchor'),
        detail: 'is already the anchor of another schema',
      });
    places.set(schema.$anchor, pointer);
  }
  return { places, errors };
}

/** Removes the document's own `$id` from the start of a reference. */
function withoutId(ref: string, id: string | undefined): string {
  if (!id || !ref.startsWith(id)) return ref;
  const rest = ref.slice(id.length);
  return rest === '' ? '#' : rest;
}

function placeOf(ref: string, anchors: ReadonlyMap<string, string>): string | undefined {
  if (!ref.startsWith('#')) return undefined;
  try {
    const fragment = decodeURIComponent(ref.slice(1));
    return fragment === '' || fragment.startsWith('/') ? fragment : anchors.get(fragment);
  } catch {
    return undefined;
  }
}

function brokenDetail(ref: string, target: string | undefined): string {
  const named = JSON.stringify(ref.slice(0, 200));
  if (!ref.startsWith('#'))
    return `${named} is outside of this document; only references that begin with # are followed`;
  return target === undefined
    ? `${named} names nothing in this document`
    : `${named} does not lead to a schema`;
}
