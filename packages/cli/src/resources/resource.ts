import type { CallOptions, Tributary } from '#client';
import type { Column } from '../output/formats.js';

/** A definition in a file: the body of the API's request, and its kind. */
export type Manifest = { kind: string } & Record<string, unknown>;

/** The members of a definition that are compared. */
export type ComparableDefinition = Record<string, unknown>;

/** A definition that exists on the server, with its name and its compared members. */
export interface ExistingDefinition {
  name: string;
  definition: ComparableDefinition;
}

/** A kind of definition with its operations: list, compare, create, change and delete. */
export interface ResourceOperations {
  /** The kind's name in a manifest; commands accept it with `s`, too. */
  readonly kind: string;
  readonly columns: readonly Column[];
  /** The members of a manifest. */
  readonly members: readonly string[];
  /** The members that form the name: a manifest requires each. */
  readonly namedBy: readonly string[];
  /** The members that do not change if a manifest omits them. */
  readonly optional: readonly string[];
  /** Whether `apply --prune` deletes definitions that are in no file. */
  readonly prunable: boolean;
  list(client: Tributary, options: CallOptions): AsyncIterable<object>;
  get(client: Tributary, name: string, options: CallOptions): Promise<object>;
  /** Returns the name under which `get` finds the definition. */
  nameOf(definition: ComparableDefinition): string;
  /** Returns the compared members, without those that only the server knows or that equal omitted ones. */
  definitionOf(item: object): ComparableDefinition;
  create(client: Tributary, desired: ComparableDefinition, options: CallOptions): Promise<object>;
  /** Changes the definition on the server. Undefined for a kind of resource of which no member can be changed. */
  change?(client: Tributary, desired: ComparableDefinition, options: CallOptions): Promise<object>;
  /** The members that cannot be changed after the creation. */
  readonly fixed: readonly string[];
  delete(client: Tributary, name: string, options: CallOptions & { confirm?: string }): Promise<void>;
  /** Returns the streams and projections that must exist before, as `stream:orders`. */
  needs(desired: ComparableDefinition): string[];
  /** Returns the streams and projections that exist once the definition is created, itself included, as `stream:orders`. */
  provides(desired: ComparableDefinition): string[];
}

/** Returns the names of a definition's members. The compiler rejects a missing or unknown name. */
export function membersOf<Definition>(names: Record<keyof Definition, true>): readonly string[] {
  return Object.keys(names);
}

/** Returns the members in this list that are not null. */
export function pick(item: object, names: readonly string[]): ComparableDefinition {
  const entries = names.map((name) => [name, (item as ComparableDefinition)[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

/** Returns the value without the members that equal their defaults, at any depth; undefined if nothing is left. */
export function withoutDefaults(value: unknown, defaults: unknown): unknown {
  if (value === defaults || value === null) return undefined;
  if (!isObject(value) || !isObject(defaults)) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, withoutDefaults(one, defaults[name])]);
  const others = entries.filter(([, one]) => one !== undefined);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the names sorted, because their order has no meaning. */
export function sortedNames(names: unknown): unknown {
  return Array.isArray(names) ? (names as unknown[]).toSorted() : names;
}

/** Returns the source of a projection, a pipeline or a subscription with sorted names. */
export function sourceOf(source: unknown): unknown {
  if (typeof source !== 'object' || source === null) return source;
  const { streams, event_types, ...rest } = pick(source, Object.keys(source));
  return {
    streams: sortedNames(streams),
    ...(event_types !== undefined && { event_types: sortedNames(event_types) }),
    ...rest,
  };
}

/** Returns the streams of a source, or of the right side of a join, as `stream:orders`. */
export function streamsOf(source: unknown): string[] {
  const { streams } = (source ?? {}) as { streams?: unknown };
  return Array.isArray(streams) ? streams.map((name) => `stream:${String(name)}`) : [];
}
