import { Query as QueryParameters } from '@nestjs/common';
import { DescribeQuery } from '../openapi/schema-of.js';
import { handlerOf } from './handler-of.js';
import { ValidatingPipe } from './validating-pipe.js';

/** Injects the query parameters as an instance of their class: validated, parsed and documented. */
export function Query(): ParameterDecorator {
  return (target, key, index) => {
    QueryParameters(new ValidatingPipe())(target, key, index);
    const { type, document } = handlerOf(target, key, index);
    document(DescribeQuery(type));
  };
}
