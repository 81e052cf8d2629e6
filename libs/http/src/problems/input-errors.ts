import type { ValidationError } from 'class-validator';
import { pointerTo } from '#event';
import type { InputError } from '#api';

/** Errors named one by one; more than these help nobody. */
export const mostErrors = 100;

/**
 * What class-validator found, as a flat list: `body` gives JSON pointers (RFC 6901) into nested objects, `parameter`
 * the parameter's name.
 */
export function inputErrors(errors: readonly ValidationError[], kind: 'body' | 'parameter'): InputError[] {
  const found = errors.flatMap((error) => flatten(error, kind === 'body' ? '' : undefined));
  return found.slice(0, mostErrors);
}

/** One error for each place, saying all that is wrong there. */
function flatten(error: ValidationError, parent: string | undefined): InputError[] {
  const pointer = parent === undefined ? error.property : shortPointerTo(parent, error.property);
  const own = error.constraints ? ownErrors(error, pointer) : [];
  if (kindRule(error)) return own;
  return [...own, ...(error.children ?? []).flatMap((child) => flatten(child, pointer))];
}

function ownErrors(
  { constraints = {}, contexts = {}, value, property }: ValidationError,
  pointer: string,
): InputError[] {
  if ('whitelistValidation' in constraints) return [{ pointer, detail: 'is not a known field' }];
  if (value === undefined) return [{ pointer, detail: 'is required' }];
  const places = new Map<string, string[]>();
  const kind = kindRule({ constraints });
  const rules = kind ? [kind] : Object.entries(constraints);
  for (const [name, text] of rules) {
    const member = (contexts[name] as MemberContext | undefined)?.member;
    const place = member === undefined ? pointer : shortPointerTo(pointer, member);
    places.set(place, [...(places.get(place) ?? []), withoutName(text, property)]);
  }
  return [...places].map(([place, texts]) => ({ pointer: place, detail: texts.join('; ') }));
}

/** The rule that a value breaks by its kind. The other rules are about its elements or members: they say nothing then. */
function kindRule({ constraints = {} }: Pick<ValidationError, 'constraints'>): [string, string] | undefined {
  return Object.entries(constraints).find(([name]) => name === 'isArray' || name === 'isObject');
}

/** The pointer says the name already, which the library's own words begin with: `limit must not be less than 1`. */
function withoutName(text: string, name: string): string {
  for (const [before, instead] of [
    [`${name} `, ''],
    [`nested property ${name} `, ''],
    [`each value in ${name} `, 'each value '],
    [`All ${name}'s `, 'all '],
  ] as const)
    if (text.startsWith(before)) return instead + text.slice(before.length);
  return text;
}

/** What a decorator on an object says in its `context` when it judges one member of it. */
interface MemberContext {
  member?: string;
}

/** Characters of a client's own name that an answer repeats. */
const mostCharacters = 128;

/** A JSON pointer to a member that a client has named. A long name is cut: an answer is no echo. */
export function shortPointerTo(pointer: string, name: string): string {
  return pointerTo(pointer, name.length > mostCharacters ? `${name.slice(0, mostCharacters)}…` : name);
}
