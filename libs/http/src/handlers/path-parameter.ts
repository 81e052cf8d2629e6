import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { handlerOf } from './handler-of.js';

export interface DescribedParameter {
  name: string;
  description?: string;
  schema: Record<string, unknown>;
}

/**
 * Injects a parameter of the path, and documents it.
 * @param read Returns the value for the handler. It throws a ProblemError for an invalid text.
 */
export function PathParameter(
  described: DescribedParameter,
  read: (text: string) => unknown = (text) => text,
): ParameterDecorator {
  return (target, key, index) => {
    Param(described.name, { transform: read })(target, key, index);
    handlerOf(target, key, index).document(ApiParam(described));
  };
}
