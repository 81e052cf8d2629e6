import { ProblemError } from '#api';

/**
 * Requires that the query parameter `confirm` of an irreversible request, such as the deletion of a stream, repeats the
 * name of what the request deletes.
 * @throws ProblemError 400 `invalid_request` whose detail names the value to send
 */
export function requireConfirmation(confirm: string | undefined, expected: string, what: string): void {
  if (confirm === expected) return;
  const detail = `must repeat ${what}: confirm=${encodeURIComponent(expected)}`;
  const problem = confirm === undefined ? 'is missing' : 'does not match';
  throw new ProblemError('invalid_request', `This cannot be undone: the parameter confirm ${problem}.`, {
    errors: [{ pointer: 'confirm', detail }],
  });
}
