import type { CallOptions, Tributary } from '#client';
import type { Column } from '../output/column.js';

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
  readonly kind: string;
  readonly plural: string;
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
  /**
   * Returns the compared members: without values that only the server knows, and without values that are equivalent
   * to omitted ones.
   */
  definitionOf(item: object): ComparableDefinition;
  create(client: Tributary, wanted: ComparableDefinition, options: CallOptions): Promise<object>;
  /** Changes the definition on the server. Undefined for a kind of resource of which no member can be changed. */
  change?(client: Tributary, wanted: ComparableDefinition, options: CallOptions): Promise<object>;
  /** The members that cannot be changed after the creation. */
  readonly fixed: readonly string[];
  delete(client: Tributary, name: string, options: CallOptions & { confirm?: string }): Promise<void>;
  /** Returns the streams and projections that must exist before, as `stream:orders`. */
  needs(wanted: ComparableDefinition): string[];
  /** Returns the streams and projections that exist once the definition is created, itself included, as `stream:orders`. */
  provides(wanted: ComparableDefinition): string[];
}
