import { isJsonObject, parseTime } from '#json';
import { UnreadableDefinitionError } from './resource-kind.js';

/**
 * Reads the members of a JSON object strictly. Each method throws UnreadableDefinitionError if the member is missing or
 * has another type.
 */
export class JsonObjectReader {
  private readonly members: Readonly<Record<string, unknown>>;

  constructor(
    value: unknown,
    private readonly name: string,
  ) {
    if (!isJsonObject(value)) throw this.wrong('', 'an object');
    this.members = value;
  }

  has(member: string): boolean {
    return this.members[member] !== undefined;
  }

  /**
   * Reads a member that may be missing. Returns an object with only this member, or an empty object if it is missing;
   * the caller spreads the result.
   */
  optional<M extends string, V>(member: M, read: (member: M) => V): { [K in M]?: V } {
    return (this.has(member) ? { [member]: read.call(this, member) } : {}) as { [K in M]?: V };
  }

  text(member: string): string {
    const value = this.members[member];
    if (typeof value !== 'string') throw this.wrong(member, 'a text');
    return value;
  }

  nullableText(member: string): string | null {
    return this.members[member] === null ? null : this.text(member);
  }

  /** Returns a member that is an RFC 3339 time, as text. */
  time(member: string): string {
    const text = this.text(member);
    if (parseTime(text) === undefined) throw this.wrong(member, 'a time');
    return text;
  }

  /** Returns a member that is a whole number of at least 1. */
  count(member: string): number {
    return this.whole(member, 1);
  }

  whole(member: string, least = 0): number {
    const value = this.members[member];
    if (!Number.isSafeInteger(value) || (value as number) < least) throw this.wrong(member, 'a whole number');
    return value as number;
  }

  /** Returns a member that is a number above zero. */
  rate(member: string): number {
    const value = this.members[member];
    if (typeof value !== 'number' || !(value > 0)) throw this.wrong(member, 'a number above zero');
    return value;
  }

  flag(member: string): boolean {
    const value = this.members[member];
    if (typeof value !== 'boolean') throw this.wrong(member, 'true or false');
    return value;
  }

  oneOf<V extends string>(member: string, values: readonly V[]): V {
    const value = values.find((candidate) => candidate === this.members[member]);
    if (value === undefined) throw this.wrong(member, `one of ${values.join(', ')}`);
    return value;
  }

  object(member: string): Readonly<Record<string, unknown>> {
    return this.fields(member).members;
  }

  fields(member: string): JsonObjectReader {
    return new JsonObjectReader(this.members[member], member);
  }

  list(member: string): unknown[] {
    const value = this.members[member];
    if (!Array.isArray(value)) throw this.wrong(member, 'a list');
    return value as unknown[];
  }

  texts(member: string): string[] {
    const values = this.list(member);
    if (!values.every((value) => typeof value === 'string')) throw this.wrong(member, 'a list of texts');
    return values;
  }

  /** Returns a member of any JSON type. @throws UnreadableDefinitionError if the member is missing */
  any(member: string): unknown {
    if (!this.has(member)) throw this.wrong(member, 'there');
    return this.members[member];
  }

  /** Applies `read` to every member, each of which must be an object. Returns the results by member name. */
  map<V>(read: (member: JsonObjectReader) => V): Record<string, V> {
    const entries = Object.keys(this.members).map((name): [string, V] => [name, read(this.fields(name))]);
    return Object.fromEntries(entries);
  }

  /** Returns all members of the object, each of which must be a whole number of at least 0. */
  counts(): Record<string, number> {
    for (const member of Object.keys(this.members)) this.whole(member);
    return this.members as Record<string, number>;
  }

  private wrong(member: string, what: string): UnreadableDefinitionError {
    return new UnreadableDefinitionError(`${member || this.name} is not ${what}`);
  }
}
