import { Body as JsonBody } from '@nestjs/common';
import { DescribeBody } from '../openapi/schema-of.js';
import { handlerOf } from './handler-of.js';
import { ValidatingPipe } from './validating-pipe.js';

/**
 * Injects the JSON body as an instance of its class: validated, parsed and documented.
 * @param options.mayBeEmpty Treats a request without a body like one with an empty object.
 */
export function Body(options: { mayBeEmpty?: boolean } = {}): ParameterDecorator {
  return (target, key, index) => {
    JsonBody(new ValidatingPipe(options))(target, key, index);
    const { type, document } = handlerOf(target, key, index);
    document(DescribeBody(type));
  };
}
