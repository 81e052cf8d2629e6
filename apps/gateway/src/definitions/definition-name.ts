import { definitionNamePattern, definitionNameRule } from '#event';
import { ProblemError } from '#api';
import { PathParameter } from '#http';

/** What has a name in an address. */
export type NamedKind = 'projection' | 'pipeline';

/** The name in an address, for the OpenAPI document. */
export const nameParam = { name: 'name', schema: { type: 'string', pattern: definitionNamePattern.source } };

/** Hands over the name of the projection in the address. */
export function ProjectionName(): ParameterDecorator {
  return PathParameter(nameParam, (name) => readName('projection', name));
}

/** Hands over the name of the pipeline in the address. */
export function PipelineName(): ParameterDecorator {
  return PathParameter(nameParam, (name) => readName('pipeline', name));
}

/** @throws ProblemError 400 */
export function readName(kind: NamedKind, name: string): string {
  if (definitionNamePattern.test(name)) return name;
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
