import type { ProblemError } from '#api';

/** A record of the definitions topic cannot be read. Readers count and skip such a record. */
export class UnreadableDefinitionError extends Error {
  override readonly name = 'UnreadableDefinitionError';
}

/** The content of one record of a definition: one sub-record, named by its slot. */
export interface SubRecord {
  slot: string;
  body: Record<string, unknown>;
}

/**
 * The rules of one kind of definition: how its records are read, written and superseded, its limit, and what the audit
 * shows of it. `T` is a definition, `P` is the content of one of its records.
 */
export interface ResourceRules<T, P = T> {
  /** Name of the kind, which is the first part of its records' keys. */
  readonly kind: string;
  /** The most definitions of this kind in one installation. */
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
  write(value: T): SubRecord;
  /**
   * Reads the content of one record strictly.
   * @throws UnreadableDefinitionError
   */
  read(identity: string, slot: SubRecord): P;
  /** Returns the definition that these records compose, the last change last. */
  compose(parts: readonly P[]): T;
  /**
   * Returns the event type of this change in the audit; undefined if the audit has no event for it. At least one of
   * `before` and `after` is defined.
   */
  eventType(before: T | undefined, after: T | undefined): string | undefined;
  /** Returns the definition without secrets, for the audit. */
  redact(value: T): unknown;
}
