/**
 * An input whose fields must be consistent with each other. `requireConsistent` runs after each field was found valid.
 */
export interface HasConsistencyCheck {
  /** Checks that the fields are consistent. @throws ProblemError when they are not */
  requireConsistent(): void;
}

/** Checks an input that implements `Consistent`. @throws ProblemError */
export function requireConsistent(input: object): void {
  if ('requireConsistent' in input) (input as HasConsistencyCheck).requireConsistent();
}
