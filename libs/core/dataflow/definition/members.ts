import { durationMs } from '#api';
import { hasCharacters, isJsonObject, jsonPointerTo, type EpochMicros } from '#json';
import { DefinitionError } from './definition-error.js';

/** Returns a DefinitionError with one error at the pointer. */
export function definitionError(pointer: string, detail: string): DefinitionError {
  return new DefinitionError([{ pointer, detail }]);
}

/** Reads a JSON object of a definition. @throws DefinitionError for an unknown, missing or invalid member */
export class DefinitionMemberReader {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(
    value: unknown,
    readonly pointer: string,
    known: readonly string[],
  ) {
    this.#members = readObject(value, pointer);
    const errors = Object.keys(this.#members)
      .filter((name) => !known.includes(name))
      .map((name) => ({
        pointer: jsonPointerTo(pointer, name),
        detail: `is not a known field; known fields are ${known.join(', ')}`,
      }));
    if (errors.length > 0) throw new DefinitionError(errors);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#members, name) && this.#members[name] !== undefined;
  }

  /** Returns the value of a required member. @throws DefinitionError if it is missing */
  any(name: string): unknown {
    if (this.has(name)) return this.#members[name];
    throw definitionError(this.at(name), 'is required');
  }

  /** Reads a required member with a function of its value and its pointer. */
  read<T>(name: string, read: (value: unknown, pointer: string) => T): T {
    return read(this.any(name), this.at(name));
  }

  /** Reads a member like `read`; undefined if it is missing. */
  optional<T>(name: string, read: (value: unknown, pointer: string) => T): T | undefined {
    return this.has(name) ? this.read(name, read) : undefined;
  }

  /** Returns the reader of a required member that is an object with these members. */
  object(name: string, known: readonly string[]): DefinitionMemberReader {
    return new DefinitionMemberReader(this.any(name), this.at(name), known);
  }

  text(name: string, most: number): string {
    return readText(this.any(name), this.at(name), most);
  }

  optionalText(name: string, most: number): string | undefined {
    return this.has(name) ? this.text(name, most) : undefined;
  }

  /** Reads a member that is a duration such as `10s`, and returns it in microseconds. */
  duration(name: string, bounds: DurationBounds): EpochMicros {
    return duration(this.any(name), this.at(name), bounds);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const value = this.any(name);
    const found = values.find((known) => known === value);
    if (found !== undefined) return found;
    throw definitionError(this.at(name), `must be one of ${values.join(', ')}`);
  }

  at(name: string): string {
    return jsonPointerTo(this.pointer, name);
  }
}

/** Bounds of a duration, such as `1s` and `7d`; `least` is `0s` if a duration of zero is allowed. */
export interface DurationBounds {
  readonly least: string;
  readonly most: string;
}

const nothing = /^(0[smhd]|PT0S)$/;

function millisecondsOf(value: string): number {
  return nothing.test(value) ? 0 : durationMs(value);
}

/** Reads a duration such as `10s`, and returns it in microseconds. @throws DefinitionError at the pointer */
export function duration(value: unknown, pointer: string, { least, most }: DurationBounds): EpochMicros {
  const rule = `must be a duration of ${least} to ${most}, such as 10s, 5m, 1h or 1d`;
  if (typeof value !== 'string') throw definitionError(pointer, rule);
  let milliseconds: number;
  try {
    milliseconds = millisecondsOf(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw definitionError(pointer, rule);
  }
  if (milliseconds < millisecondsOf(least) || milliseconds > millisecondsOf(most))
    throw definitionError(pointer, rule);
  return milliseconds * 1000;
}

/** Returns the value as an object. @throws DefinitionError at the pointer if it is not a JSON object */
export function readObject(value: unknown, pointer: string): Readonly<Record<string, unknown>> {
  if (isJsonObject(value)) return value;
  throw definitionError(pointer, 'must be an object');
}

/** Returns the value as a string. @throws DefinitionError unless it is a string of 1 to `most` characters */
export function readText(value: unknown, pointer: string, most: number): string {
  if (typeof value === 'string' && hasCharacters(value, { most })) return value;
  throw definitionError(pointer, `must be a text of 1 to ${most} characters`);
}

/** Returns the text of a CEL expression, unparsed. @throws DefinitionError as `readText` does */
export function expressionText(value: unknown, pointer: string, most: number): string {
  try {
    return readText(value, pointer, most);
  } catch (error) {
    if (typeof value !== 'string' || !(error instanceof DefinitionError)) throw error;
    throw new DefinitionError(error.errors.map((fault) => ({ ...fault, inExpression: true })));
  }
}

/** Returns the value as an array. @throws DefinitionError unless it is an array of `least` to `most` elements */
export function readList(
  value: unknown,
  pointer: string,
  [least, most]: [number, number],
): readonly unknown[] {
  if (Array.isArray(value) && value.length >= least && value.length <= most) return value as unknown[];
  throw definitionError(pointer, `must be a list of ${least} to ${most} elements`);
}
