import { ProblemError } from '#api';
import type { Micros } from '#event';

/** @throws ProblemError 400 when the range holds no time at all: that is a mistake, not a question. */
export function requireTimeRange({ since, until }: { since?: Micros; until?: Micros }): void {
  if (since === undefined || until === undefined || since < until) return;
  throw new ProblemError('invalid_request', 'since must be before until.', {
    errors: [{ pointer: 'since', detail: 'must be before until' }],
  });
}
