import { definitionNamePattern, definitionNameRule } from '#event';
import { ProblemError } from '#api';
import { PathParameter } from '#http';
import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';
import { JsonSchemaPart } from '../openapi/schema.js';

/** The kinds of definitions whose work can be paused and resumed. They share one rule for names in URLs. */
export type RunningKind = 'projection' | 'pipeline' | 'subscription';

/** The names in the examples of the OpenAPI document. */
const exampleNames: Record<RunningKind, string> = {
  projection: 'revenue',
  pipeline: 'big_orders',
  subscription: 'billing',
};

/** Returns the parameter of the path that has the name of a definition, for the OpenAPI document. */
export function nameParam(kind: RunningKind) {
  const schema = { type: 'string', pattern: definitionNamePattern.source, example: exampleNames[kind] };
  return { name: 'name', schema };
}

/** Injects the name of the projection from the path of the URL. */
export function ProjectionName(): ParameterDecorator {
  return PathParameter(nameParam('projection'), (name) => requireDefinitionName('projection', name));
}

/** Validates the name of a definition in the path of a URL. @throws ProblemError 400 */
export function requireDefinitionName(kind: RunningKind, name: string): string {
  if (definitionNamePattern.test(name)) return name;
  throw new ProblemError('invalid_request', `The name of a ${kind} ${definitionNameRule}.`, {
    errors: [{ pointer: 'name', detail: definitionNameRule }],
  });
}

/** Requires that the name in a body, if there is one, equals the name in the path. @throws ProblemError 400 */
export function requireSameName(kind: RunningKind, body: { name?: string | null }, inAddress: string): void {
  if (body.name == null || body.name === inAddress) return;
  const detail = `must be ${inAddress}, as in the path: the name of a ${kind} cannot be changed`;
  throw new ProblemError('invalid_request', `The name ${detail}.`, {
    errors: [{ pointer: '/name', detail }],
  });
}

const rule = { message: definitionNameRule };

/** Decorator of the member `name` in the body that creates a projection or pipeline. */
export function NewDefinitionName(example: string): PropertyDecorator {
  return applyDecorators(Matches(definitionNamePattern, rule), IsString(), JsonSchemaPart({ example }));
}

/** Decorator of the optional member `name` in the body that replaces a definition; it must equal the one in the path. */
export function OptionalDefinitionName(): PropertyDecorator {
  const description = 'Optional; must equal the name in the path.';
  return applyDecorators(
    IsOptional(),
    Matches(definitionNamePattern, rule),
    JsonSchemaPart({ type: 'string', description }),
  );
}
