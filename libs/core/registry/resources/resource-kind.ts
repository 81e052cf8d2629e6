import type { ProblemError } from '#api';
import type { ResourceStores } from './resource-store.js';

/** A record of the definitions topic cannot be read. Readers count and skip such a record. */
export class UnreadableDefinitionError extends Error {
  override readonly name = 'UnreadableDefinitionError';
}

/** The part of a definition that one record of the topic contains; `slot` names the part within the definition. */
export interface StoredDefinitionPart {
  slot: string;
  body: Record<string, unknown>;
}

/**
 * The rules of one kind of definition, such as streams or API keys: how its records are read, written and superseded,
 * its limit, and what the audit shows of it. `T` is a definition, `P` is the content of one of its records.
 */
export interface ResourceRules<T = unknown, P = T> {
  /** Name of the kind of definition, such as `stream`, which is the first part of its records' keys. */
  readonly kind: string;
  /** Maximum number of definitions of this kind in one installation. */
  readonly most: number;
  /** Returns the problem for a request that would exceed `most`. */
  full(): ProblemError;
  /** Returns the name of the definition that a record belongs to. */
  nameOf(part: P): string;
  /**
   * Returns the identity of a name. Two definitions with the same identity cannot exist at once: they share one
   * sequence of revisions.
   */
  identityOf(name: string): string;
  /**
   * Returns the sub-record that a change of the definition writes. The new sub-record supersedes the previous one in
   * its slot; other slots remain.
   */
  write(value: T): StoredDefinitionPart;
  /** Reads the content of one record strictly. @throws UnreadableDefinitionError */
  read(identity: string, part: StoredDefinitionPart): P;
  /** Composes a definition from the contents of its current records, the one with the highest revision last. */
  compose(parts: readonly P[]): T;
  /** Returns the audit's event type of a change; undefined if the audit does not report it. One of both is defined. */
  eventType(before: T | undefined, after: T | undefined): string | undefined;
  /** Returns the form of a definition that the audit shows; it contains no secrets. */
  redact(value: T): unknown;
}

/** A kind of definition that a feature adds. A process knows the kinds that it passes to `openDefinitions`. */
export interface ResourceKind<T = unknown, P = T> extends ResourceRules<T, P> {
  /** Member of `Definitions` with the definitions of this kind, such as `projections`. */
  readonly store: keyof ResourceStores;
  /** Returns why the work of this definition has failed; null if it has not. Health counts the failed definitions. */
  failureOf?(value: T): string | null;
}
