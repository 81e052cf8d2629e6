import { ProblemError } from '#api';
import type { EpochMicros } from '#json';

/**
 * Refuses a range whose `until` is not after its `since`: no event could match it, so it is a mistake of the caller.
 * @throws ProblemError 400
 */
export function requireTimeRange({ since, until }: { since?: EpochMicros; until?: EpochMicros }): void {
  if (since === undefined || until === undefined || since < until) return;
  throw new ProblemError('invalid_request', 'since must be before until.', {
    errors: [{ pointer: 'since', detail: 'must be before until' }],
  });
}
