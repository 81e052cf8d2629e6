import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { parseBody } from './parse-body.js';
import { parseQuery } from './parse-query.js';

/**
 * Hands the query parameters or the body of a request over as their class: validated, with every text read once. A
 * handler gets times, lengths of time, lists and numbers.
 */
export class ValidatedPipe implements PipeTransform {
  constructor(private readonly options: { mayBeEmpty?: boolean } = {}) {}

  /** @throws ProblemError */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): object {
    const input = metatype as new () => object;
    if (type === 'query') return parseQuery(input, value);
    if (this.options.mayBeEmpty && !(Buffer.isBuffer(value) && value.length > 0)) return new input();
    return parseBody(input, value);
  }
}
