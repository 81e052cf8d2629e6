import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { parseBody } from './parse-body.js';
import { parseQuery } from './parse-query.js';

/**
 * Parses the query parameters or the body of a request into their class, and validates them. Handlers get parsed
 * values: times, durations, lists and numbers.
 */
export class ValidatingPipe implements PipeTransform {
  constructor(private readonly options: { mayBeEmpty?: boolean; as?: new () => object } = {}) {}

  /** Returns an instance of the parameter's class. @throws ProblemError */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): object {
    const input = this.options.as ?? (metatype as new () => object);
    if (type === 'query') return parseQuery(input, value);
    if (this.options.mayBeEmpty && !(Buffer.isBuffer(value) && value.length > 0)) return new input();
    return parseBody(input, value);
  }
}
