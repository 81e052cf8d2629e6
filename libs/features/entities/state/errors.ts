/**
 * Error: from `version` on, the state of an entity would exceed the maximum size. The states of lower versions can
 * still be computed.
 */
export class EntityStateTooLargeError extends Error {
  override readonly name = 'EntityStateTooLargeError';

  /** @param version The version of the first event that makes the state too large. */
  constructor(readonly version: number) {
    super(`The state is too large from version ${version} on`);
  }
}
