import { ProblemError } from '#api';

/**
 * What cannot be undone is asked for twice.
 * @throws ProblemError 400 that says what to send
 */
export function requireConfirmation(confirm: string | undefined, expected: string, what: string): void {
  if (confirm === expected) return;
  const detail = `must be ${what} once more: confirm=${encodeURIComponent(expected)}`;
  const problem = confirm === undefined ? 'is missing' : 'does not match';
  throw new ProblemError(
    'invalid_request',
    `There is no way back from this: the parameter confirm ${problem}.`,
    {
      errors: [{ pointer: 'confirm', detail }],
    },
  );
}
