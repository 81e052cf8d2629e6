import { type ValidationError, getMetadataStorage } from 'class-validator';
import { jsonPointerTo } from '#json';
import type { InputProblem } from '#api';

/** Maximum number of input errors that the answer to one request lists. */
export const mostErrors = 100;

/** Returns the detail of the error for an unknown field of an object that has these fields. */
export function unknownField(known: Iterable<string>): string {
  return `is not a known field; known fields are ${[...known].join(', ')}`;
}

/** Returns an error for each member of a JSON object that is not a known field. @param pointer Pointer to the object */
export function unknownFields(value: object, known: ReadonlySet<string>, pointer = ''): InputProblem[] {
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  return unknown.slice(0, mostErrors).map((name) => ({
    pointer: shortPointerTo(pointer, name),
    detail: unknownField(known),
  }));
}

/**
 * Returns the errors of class-validator as a flat list. The pointers of input errors are JSON pointers (RFC 6901) into
 * nested objects for `body`, and parameter names for `parameter`.
 */
export function inputErrors(errors: readonly ValidationError[], kind: 'body' | 'parameter'): InputProblem[] {
  const found = errors.flatMap((error) => flatten(error, kind === 'body' ? '' : undefined));
  return found.slice(0, mostErrors);
}

/** Returns one input error for each pointer; its detail joins all messages for that pointer. */
function flatten(error: ValidationError, parent: string | undefined): InputProblem[] {
  const pointer = parent === undefined ? error.property : shortPointerTo(parent, error.property);
  const own = error.constraints ? ownErrors(error, pointer) : [];
  if (kindRule(error)) return own;
  return [...own, ...(error.children ?? []).flatMap((child) => flatten(child, pointer))];
}

function ownErrors(
  { constraints = {}, contexts = {}, value, property, target = {} }: ValidationError,
  pointer: string,
): InputProblem[] {
  if ('whitelistValidation' in constraints)
    return [{ pointer, detail: unknownField(propertiesOf(target.constructor as new () => object)) }];
  if (value === undefined) return [{ pointer, detail: 'is required' }];
  const messages = new Map<string, string[]>();
  const kind = kindRule({ constraints });
  const rules = kind ? [kind] : Object.entries(constraints);
  for (const [name, text] of rules) {
    const member = (contexts[name] as MemberContext | undefined)?.member;
    const at = member === undefined ? pointer : shortPointerTo(pointer, member);
    messages.set(at, [...(messages.get(at) ?? []), withoutName(text, property)]);
  }
  return [...messages].map(([at, texts]) => ({ pointer: at, detail: texts.join('; ') }));
}

/** Returns the failed `isArray` or `isObject` rule of a value: the rules about its elements are meaningless then. */
function kindRule({ constraints = {} }: Pick<ValidationError, 'constraints'>): [string, string] | undefined {
  return Object.entries(constraints).find(([name]) => name === 'isArray' || name === 'isObject');
}

/** Removes the name with which class-validator begins its messages (`limit must …`): the pointer contains it. */
function withoutName(text: string, name: string): string {
  const beginnings = {
    [`${name} `]: '',
    [`nested property ${name} `]: '',
    [`each value in ${name} `]: 'each value ',
    [`All ${name}'s `]: 'all ',
  };
  const [before, instead] = Object.entries(beginnings).find(([begin]) => text.startsWith(begin)) ?? ['', ''];
  return instead + text.slice(before.length);
}

/** The `context` of a validation decorator on an object that validates only one member of the object. */
interface MemberContext {
  member?: string;
}

/** Maximum number of characters of a client's name that an answer repeats. */
const mostCharacters = 128;

/** Returns a JSON pointer to a member. A long name is cut, so that an answer cannot echo large input. */
export function shortPointerTo(pointer: string, name: string): string {
  return jsonPointerTo(pointer, name.length > mostCharacters ? `${name.slice(0, mostCharacters)}…` : name);
}

const properties = new Map<unknown, Set<string>>();

/** Returns the names of the properties of a class that have a class-validator decorator. */
export function propertiesOf(type: new () => object): ReadonlySet<string> {
  let names = properties.get(type);
  if (!names) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    names = new Set(metadata.map(({ propertyName }) => propertyName));
    properties.set(type, names);
  }
  return names;
}
