import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { handlerOf } from './handler-of.js';

/** Name, description and JSON Schema of a path parameter in the OpenAPI document. */
interface DescribedParameter {
  name: string;
  description?: string;
  schema: Record<string, unknown>;
}

/**
 * Parameter decorator of a handler: injects a parameter of the path, and adds it to the OpenAPI document.
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
