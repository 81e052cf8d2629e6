/** The state of an entity would exceed the maximum size. States up to the previous version still exist. */
export class EntityStateTooLargeError extends Error {
  override readonly name = 'EntityStateTooLargeError';

  /** @param version The version of the first event that makes the state too large. */
  constructor(readonly version: number) {
    super(`The state is too large from version ${version} on`);
  }
}
