import { hasCharacters, plainTextPattern, ProblemError } from '#api';
import { limits } from '#event';

/** The entity in an address, for the OpenAPI document. */
export const entityParam = {
  name: 'entity_id',
  description: 'Percent-encoded: `a/b` is `a%2Fb`.',
  schema: { type: 'string', minLength: 1, maxLength: limits.entityIdCharacters },
} as const;

/** @throws ProblemError 400 */
export function checkEntityId(entityId: string): void {
  const longest = limits.entityIdCharacters;
  if (hasCharacters(entityId, { most: longest }) && plainTextPattern.test(entityId)) return;
  const detail = `must be 1 to ${longest} characters without control characters`;
  throw new ProblemError('invalid_request', `The entity_id in the address ${detail}.`, {
    errors: [{ pointer: 'entity_id', detail }],
  });
}
