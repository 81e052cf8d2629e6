import { Body as JsonBody } from '@nestjs/common';
import { DescribeBody } from '../openapi/schema-of.js';
import { handlerOf } from './handler-of.js';
import { ValidatingPipe } from './validating-pipe.js';

/**
 * Parameter decorator of a handler: injects the JSON body as a validated instance of the parameter's class, and adds
 * the class to the OpenAPI document.
 * @param options.mayBeEmpty Treats a request without a body like one with an empty object.
 * @param options.as The class, if the parameter's type does not name it.
 */
export function Body(options: { mayBeEmpty?: boolean; as?: new () => object } = {}): ParameterDecorator {
  return (target, key, index) => {
    JsonBody(new ValidatingPipe(options))(target, key, index);
    const { type, document } = handlerOf(target, key, index);
    document(DescribeBody(options.as ?? type));
  };
}
