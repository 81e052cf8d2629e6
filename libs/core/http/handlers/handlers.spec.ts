import { IsInt, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { Verbatim, type HasCrossFieldCheck, parseBody, parseQuery, Repeatable } from './parse-input.js';
import { ParseValue, ParseValues } from './parse-value.js';
import { ValidatingPipe } from './decorators.js';

const seconds = {
  name: 'isSeconds',
  read: (text: string) => (/^\d+s$/.test(text) ? Number(text.slice(0, -1)) : undefined),
  message: (sent: unknown) => `must be seconds, not ${JSON.stringify(sent)}`,
};
const even = {
  name: 'isEven',
  read: (text: string) =>
    Number(text) % 2 === 0 ? Number(text) : new ProblemError('payload_too_large', 'odd'),
  message: () => 'must be a number',
};

class Lengths implements HasCrossFieldCheck {
  @IsOptional() @ParseValue(seconds) least?: number | null;
  @IsOptional() @ParseValue(seconds) most?: number | null;
  @IsOptional() @Repeatable() @ParseValues(seconds) each?: number[];
  @IsOptional() @ParseValue(even) even?: number;

  requireConsistent(): void {
    if ((this.least ?? 0) > (this.most ?? Infinity)) throw new ProblemError('invalid_request', 'too long');
  }
}

class Inner {
  @Verbatim() @IsObject() names: object;
}

class Outer {
  @IsObject() @ValidateNested() @Type(() => Inner) inner: Inner;
  @IsOptional() @IsInt() count?: number;
}

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const refusal = (pointer: string, detail: string): unknown =>
  expect.objectContaining({ code: 'invalid_request', options: { errors: [{ pointer, detail }] } });

describe('a handler', () => {
  it('gets the parsed values of parameters', () => {
    const query = parseQuery(Lengths, { least: '1s', each: ['2s', '3s'], even: '4' });
    expect(query).toEqual({ least: 1, each: [2, 3], even: 4 });
  });

  it('gets the parsed values of a body, and null', () => {
    expect(parseBody(Lengths, bytes({ least: '1s', most: null }))).toEqual({ least: 1, most: null });
  });

  it('is not called with an invalid text, and the error has its name', () => {
    expect(() => parseQuery(Lengths, { least: 'soon' })).toThrow(
      refusal('least', 'must be seconds, not "soon"'),
    );
    expect(() => parseQuery(Lengths, { each: ['1s', 'soon'] })).toThrow(ProblemError);
  });

  it('is not called with a value that should be a text', () => {
    expect(() => parseBody(Lengths, bytes({ least: 1 }))).toThrow(
      refusal('/least', 'must be seconds, not 1'),
    );
  });

  it('is not called if a value has its own problem, which is reported only if all other values are valid', () => {
    expect(() => parseQuery(Lengths, { even: '3' })).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }) as Error,
    );
    expect(() => parseQuery(Lengths, { even: '3', least: 'soon' })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }) as Error,
    );
  });

  it('is not called with inconsistent values', () => {
    expect(() => parseQuery(Lengths, { least: '2s', most: '1s' })).toThrow('too long');
    expect(() => parseBody(Lengths, bytes({ least: '2s', most: '1s' }))).toThrow('too long');
  });

  it('gets members with any name in a field that allows them', () => {
    const names = { constructor: { a: 1 }, toString: 2, deep: [{ constructor: 3 }] };
    expect(parseBody(Outer, bytes({ inner: { names } })).inner.names).toEqual(names);
  });

  it('gets an empty object for an empty body only if the body may be empty', () => {
    const metadata = { type: 'body', metatype: Lengths } as const;
    expect(new ValidatingPipe({ mayBeEmpty: true }).transform(undefined, metadata)).toEqual({});
    expect(() => new ValidatingPipe().transform(undefined, metadata)).toThrow(
      expect.objectContaining({ code: 'invalid_json' }) as Error,
    );
  });
});
