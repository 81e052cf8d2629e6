import { Query as QueryParameters } from '@nestjs/common';
import { DescribeQuery } from '../openapi/schema-of.js';
import { handlerOf } from './handler-of.js';
import { TakesQuery } from './unknown-parameters.js';
import { ValidatingPipe } from './validating-pipe.js';

/**
 * Parameter decorator of a handler: injects the query parameters as a validated instance of the parameter's class, and
 * adds them to the OpenAPI document.
 * @param options.as The class, if the parameter's type does not name it.
 */
export function Query(options: { as?: new () => object } = {}): ParameterDecorator {
  return (target, key, index) => {
    QueryParameters(new ValidatingPipe(options))(target, key, index);
    const { type, document } = handlerOf(target, key, index);
    document(DescribeQuery(options.as ?? type));
    document(TakesQuery());
  };
}
