import { Query as QueryParameters } from '@nestjs/common';
import { DescribeQuery } from '../openapi/schema-of.js';
import { handlerOf } from './handler-of.js';
import { ValidatedPipe } from './validated-pipe.js';

/** Hands over the query parameters as their class: validated, read, and documented. */
export function Query(): ParameterDecorator {
  return (target, key, index) => {
    QueryParameters(new ValidatedPipe())(target, key, index);
    const { type, document } = handlerOf(target, key, index);
    document(DescribeQuery(type));
  };
}
