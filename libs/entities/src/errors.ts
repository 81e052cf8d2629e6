/** The state of an entity would be larger than one can be; everything up to that event still has a state. */
export class EntityStateTooLargeError extends Error {
  override readonly name = 'EntityStateTooLargeError';

  /** @param version Of the event that it does not take any more. */
  constructor(readonly version: number) {
    super(`The state is too large from version ${version} on`);
  }
}
