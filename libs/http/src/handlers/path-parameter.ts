import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { handlerOf } from './handler-of.js';

export interface DescribedParameter {
  name: string;
  description?: string;
  schema: Record<string, unknown>;
}

/**
 * Hands over a part of the address, and documents it.
 * @param read Returns what the handler gets. It throws a ProblemError for what cannot stand there.
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
