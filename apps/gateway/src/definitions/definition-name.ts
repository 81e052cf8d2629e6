import type { FastifyRequest } from 'fastify';
import { definitionNamePattern, definitionNameRule } from '#event';
import { ProblemError } from '#api';
import { accessOf, actorOf, parseQuery } from '#http';
import type { Changer } from '../access/changer.js';
import { NoParameters } from '../parameters/no-parameters.js';

/** What has a name in an address. */
export type NamedKind = 'projection' | 'pipeline';

/** The name in an address, for the OpenAPI document. */
export const nameParam = {
  name: 'name',
  schema: { type: 'string', pattern: definitionNamePattern.source },
} as const;

/** @throws ProblemError 400 */
export function requireName(kind: NamedKind, name: string): void {
  if (definitionNamePattern.test(name)) return;
  throw new ProblemError('invalid_request', `The name of a ${kind} ${definitionNameRule}.`, {
    errors: [{ pointer: 'name', detail: definitionNameRule }],
  });
}

/** A name in a body may be left out. @throws ProblemError 400 where it is another one */
export function requireSameName(kind: NamedKind, body: { name?: string | null }, inAddress: string): void {
  if (body.name == null || body.name === inAddress) return;
  const detail = `must be ${inAddress}, as in the address: the name of a ${kind} cannot be changed`;
  throw new ProblemError('invalid_request', `The name ${detail}.`, {
    errors: [{ pointer: '/name', detail }],
  });
}

/** Who asks for a change that has a name and nothing else. @throws ProblemError 400 */
export function changerOf(kind: NamedKind, name: string, request: FastifyRequest): Changer {
  parseQuery(NoParameters, request.query);
  requireName(kind, name);
  return { actor: actorOf(request), access: accessOf(request) };
}
