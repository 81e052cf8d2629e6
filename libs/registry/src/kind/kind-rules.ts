import type { ProblemError } from '#api';

/** Why a record of the definitions topic cannot be used. It is counted and skipped. */
export class UnreadableDefinitionError extends Error {
  override readonly name = 'UnreadableDefinitionError';
}

/** What one record of a definition holds: one slot of it. */
export interface SlotBody {
  slot: string;
  body: Record<string, unknown>;
}

/**
 * What makes one kind of definition different from another: how its records are read and written, what they supersede,
 * its bound, and what of it may be shown. `T` is a definition, `P` what one of its records holds.
 */
export interface KindRules<T, P = T> {
  /** The first part of its records' keys. */
  readonly kind: string;
  /** How many of them one installation holds. */
  readonly most: number;
  /** What to answer when there are as many. */
  full(): ProblemError;
  /** The name of the definition that this record is of. */
  nameOf(part: P): string;
  /** Names with the same identity cannot stand side by side: one takes part in the other's changes. */
  identityOf(name: string): string;
  /** The slot that this change of the definition writes. What was in it is superseded; other slots stay. */
  write(value: T): SlotBody;
  /**
   * Reads one record, strictly.
   * @throws UnreadableDefinitionError
   */
  read(identity: string, slot: SlotBody): P;
  /** The definition that these records make, the last change last. */
  compose(parts: readonly P[]): T;
  /** What the audit calls this change; one of the two is there. undefined: it is nothing for the audit. */
  eventType(before: T | undefined, after: T | undefined): string | undefined;
  /** The definition without secrets, for the audit. */
  redact(value: T): unknown;
}
