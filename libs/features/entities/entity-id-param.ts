import { hasCharacters } from '#json';
import { plainTextPattern, ProblemError } from '#api';
import { limits } from '#event';
import { PathParameter } from '#http';

const described = {
  name: 'entity_id',
  description: 'The id of the entity, percent-encoded: `a/b` is `a%2Fb`.',
  schema: { type: 'string', minLength: 1, maxLength: limits.entityIdCharacters },
} as const;

/** Injects the entity id from the path of the URL. */
export function EntityId(): ParameterDecorator {
  return PathParameter(described, readEntityId);
}

/** Validates the entity id of a path. @throws ProblemError 400 */
function readEntityId(entityId: string): string {
  const longest = limits.entityIdCharacters;
  if (hasCharacters(entityId, { most: longest }) && plainTextPattern.test(entityId)) return entityId;
  const detail = `must be 1 to ${longest} characters without control characters`;
  throw new ProblemError('invalid_request', `The entity_id in the path ${detail}.`, {
    errors: [{ pointer: 'entity_id', detail }],
  });
}
