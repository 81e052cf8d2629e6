/** Why a record of the definitions topic cannot be used. It is counted and skipped. */
export class UnreadableDefinitionError extends Error {
  override readonly name = 'UnreadableDefinitionError';
}

/**
 * One kind of definition: how its records become a view. A record's key is `<kind>:<name>`; its value is JSON, or
 * nothing, which removes it. The same records in the same order give the same view in every process, also when some
 * are folded again.
 */
export interface DefinitionFold {
  readonly kind: string;
  /**
   * Takes one record; true when the view has changed.
   * @throws UnreadableDefinitionError
   */
  apply(record: { name: string; value: unknown; offset: number }): boolean;
}
