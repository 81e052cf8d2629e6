/**
 * A body or query class whose fields must be consistent with each other. The method `requireConsistent` is called after
 * every field was found valid.
 */
export interface HasCrossFieldCheck {
  /** Checks that the fields are consistent. @throws ProblemError when they are not */
  requireConsistent(): void;
}

/**
 * Calls `requireConsistent` of an input that has this method. @throws ProblemError when its fields are not consistent
 */
export function requireConsistent(input: object): void {
  if ('requireConsistent' in input) (input as HasCrossFieldCheck).requireConsistent();
}
