import type { CallOptions, Tributary } from '#client';
import type { Column } from '../output/column.js';

/** What a definition says: the members of the API's request, and its kind. */
export type Manifest = { kind: string } & Record<string, unknown>;

/** The members of a definition that are compared. */
export type Definition = Record<string, unknown>;

/** A definition that is there. */
export interface Found {
  name: string;
  definition: Definition;
}

/** A kind of definition: how it is listed, compared, made, changed and deleted. */
export interface Resource {
  readonly kind: string;
  readonly plural: string;
  readonly columns: readonly Column[];
  /** Members of a manifest. */
  readonly members: readonly string[];
  /** Members that are its name: a manifest has each. */
  readonly namedBy: readonly string[];
  /** Members that stay as they are where a manifest leaves them out. */
  readonly optional: readonly string[];
  /** Whether `apply --prune` deletes what no file has. */
  readonly prunable: boolean;
  list(client: Tributary, options: CallOptions): AsyncIterable<object>;
  get(client: Tributary, name: string, options: CallOptions): Promise<object>;
  /** The name under which `get` finds it. */
  nameOf(definition: Definition): string;
  /** What is compared: without what only the server knows, and without what says the same as leaving it out. */
  definitionOf(item: object): Definition;
  create(client: Tributary, wanted: Definition, options: CallOptions): Promise<object>;
  /** Undefined where nothing of it can be changed. */
  change?(client: Tributary, wanted: Definition, options: CallOptions): Promise<object>;
  /** Members that cannot be changed once it is there. */
  readonly fixed: readonly string[];
  delete(client: Tributary, name: string, options: CallOptions & { confirm?: string }): Promise<void>;
  /** The streams and projections that have to be there first, as `stream:orders`. */
  needs(wanted: Definition): string[];
  /** Those that are there with it. */
  provides(wanted: Definition): string[];
}
