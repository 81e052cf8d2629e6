/** An input whose values have to fit each other. Each is valid by itself when this is called. */
export interface Consistent {
  /** @throws ProblemError */
  requireConsistent(): void;
}

/** @throws ProblemError */
export function requireConsistent(input: object): void {
  if ('requireConsistent' in input) (input as Consistent).requireConsistent();
}
