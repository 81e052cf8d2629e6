import { _, type Code, type CodeKeywordDefinition, type JSONType, type KeywordCxt } from 'ajv/dist/2020.js';
import { or } from 'ajv/dist/compile/codegen/index.js';
import { multipleOf } from './decimal.js';
import { areUnique, isOneOf } from './equality.js';
import { hasAtLeast, hasAtMost } from './member-count.js';
import type { Meter } from './meter.js';
import { isAtLeast, isAtMost } from './text-length.js';
import { unevaluatedProperties } from './unevaluated-properties.js';

/** Comparisons that are written out; more are looked up. */
const mostWrittenOut = 16;

/**
 * Ours in place of Ajv's: the same answers for JSON, in a time that does not grow with the square of anything. They come
 * before keywords that go through members or items: where there are none, Ajv leaves out what comes after those.
 */
export function safeKeywords(meter: Meter): CodeKeywordDefinition[] {
  return [
    {
      keyword: 'const',
      before: 'not',
      error: { message: '', params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}` },
      code: (cxt) => cxt.pass(isAmong(cxt, [cxt.schema], meter)),
    },
    {
      keyword: 'enum',
      before: 'not',
      schemaType: 'array',
      error: { message: '', params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}` },
      code: (cxt) => cxt.pass(isAmong(cxt, cxt.schema as unknown[], meter)),
    },
    {
      keyword: 'uniqueItems',
      before: 'prefixItems',
      type: 'array',
      schemaType: 'boolean',
      code(cxt) {
        if (cxt.schema !== false) cxt.pass(call(cxt, (items: unknown[]) => areUnique(items, meter)));
      },
    },
    {
      keyword: 'multipleOf',
      type: 'number',
      schemaType: 'number',
      error: { message: '', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
      code: (cxt) => cxt.pass(call(cxt, multipleOf(Number(cxt.schema)))),
    },
    unevaluatedProperties(meter),
    ...limits<string>(
      { type: 'string', before: 'pattern', meter },
      { minLength: isAtLeast, maxLength: isAtMost },
    ),
    ...limits<object>(
      { type: 'object', before: 'required', meter },
      { minProperties: hasAtLeast, maxProperties: hasAtMost },
    ),
  ];
}

type Within<T> = (value: T, limit: number, meter: Meter) => boolean;

function limits<T>(
  { type, before, meter }: { type: JSONType; before: string; meter: Meter },
  checks: Record<string, Within<T>>,
): CodeKeywordDefinition[] {
  return Object.entries(checks).map(([keyword, within]) => ({
    keyword,
    type,
    before,
    schemaType: 'number',
    error: { message: '', params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code: (cxt) => cxt.pass(call(cxt, (value: T) => within(value, Number(cxt.schema), meter))),
  }));
}

function isAmong(cxt: KeywordCxt, values: readonly unknown[], meter: Meter): Code {
  const writtenOut = values.length > 0 && values.length <= mostWrittenOut && values.every(isScalar);
  return writtenOut
    ? or(...values.map((value) => _`${cxt.data} === ${value}`))
    : call(cxt, isOneOf(values, meter));
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null;
}

/** A call of a function of ours with the value that is checked. */
function call({ gen, data }: KeywordCxt, ref: unknown): Code {
  return _`${gen.scopeValue('func', { ref })}(${data})`;
}
