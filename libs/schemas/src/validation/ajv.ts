import {
  Ajv2020,
  _,
  type CodeKeywordDefinition,
  type FormatDefinition,
  type KeywordCxt,
} from 'ajv/dist/2020.js';
import { isMultipleOf } from './decimal.js';
import { areUnique, isOneOf } from './equality.js';
import { stepsKeyword } from './executable.js';
import { formats } from './formats.js';
import type { Meter } from './meter.js';
import { compilePattern } from './pattern.js';

export interface AjvOptions {
  meter: Meter;
  /** Whether to go on after the first error. */
  allErrors: boolean;
  /** Whether the schema names members that every JavaScript object inherits. */
  ownProperties: boolean;
  /** Whether the schema has unevaluatedProperties or unevaluatedItems, which cost something wherever they stand. */
  unevaluated: boolean;
}

/**
 * An Ajv for one schema, whose work is counted by `meter`. Keywords that could take more time than their input is long,
 * or that floating point or a member's name could deceive, are ours: const, enum, uniqueItems, multipleOf, pattern.
 */
export function ajvFor({ meter, allErrors, ownProperties, unevaluated }: AjvOptions): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    ownProperties,
    meta: false,
    validateSchema: false,
    // The document has been looked through already, with better sentences.
    strict: false,
    inlineRefs: false,
    messages: false,
    // A number too large for floating point is still a number.
    strictNumbers: false,
    formats: Object.fromEntries(Object.keys(formats).map((name) => [name, meteredFormat(name, meter)])),
    code: { regExp: Object.assign(meteredPatterns(meter), { code: 'pattern' }) },
    logger: false,
  });
  // There are no dynamic references here.
  Object.assign(ajv.opts, { dynamicRef: false, unevaluated });
  for (const name of ['const', 'enum', 'uniqueItems', 'multipleOf']) ajv.removeKeyword(name);
  return ajv.addVocabulary([steps(meter), constant(meter), enumeration(meter), unique(meter), multipleOf]);
}

/** Pieces of text are cheap to look at; long ones count. */
function stepsOfText(text: string): number {
  return text.length >> 4;
}

function meteredFormat(name: string, meter: Meter): FormatDefinition<string> {
  const check = formats[name];
  return {
    type: 'string',
    validate: (text) => {
      meter.charge(stepsOfText(text));
      return check?.(text) ?? false;
    },
  };
}

function meteredPatterns(meter: Meter) {
  const made = new Map<string, { test(text: string): boolean; toString(): string }>();
  return (source: string) => {
    const known = made.get(source);
    if (known) return known;
    const pattern = compilePattern(source);
    const metered = {
      test: (text: string) => {
        meter.charge(stepsOfText(text));
        return pattern.test(text);
      },
      toString: () => source,
    };
    made.set(source, metered);
    return metered;
  };
}

function steps(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: stepsKeyword,
    schemaType: 'number',
    before: '$dynamicRef',
    code({ gen, schema, data, parentSchema }: KeywordCxt) {
      const counter = gen.scopeValue('obj', { ref: meter });
      gen.if(_`(${counter}.left -= ${Number(schema)}) < 0`, () => gen.throw(_`${counter}.exceeded`));
      if ('minLength' in parentSchema || 'maxLength' in parentSchema)
        gen.if(_`typeof ${data} === "string"`, () => gen.code(_`${counter}.charge(${data}.length >> 4)`));
      const counts = ['minProperties', 'maxProperties', 'unevaluatedProperties'].some(
        (name) => name in parentSchema,
      );
      if (counts) gen.forIn('name', data, () => gen.code(_`${counter}.charge(1)`));
    },
  };
}

function constant(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: 'const',
    error: { message: '', params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}` },
    code: (cxt) => cxt.fail(_`!${check(cxt, isOneOf([cxt.schema], meter))}(${cxt.data})`),
  };
}

function enumeration(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: 'enum',
    schemaType: 'array',
    error: { message: '', params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}` },
    code: (cxt) => cxt.fail(_`!${check(cxt, isOneOf(cxt.schema as unknown[], meter))}(${cxt.data})`),
  };
}

function unique(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    code(cxt) {
      if (cxt.schema === false) return;
      const unique = (items: unknown[]): boolean => areUnique(items, meter);
      cxt.fail(_`!${check(cxt, unique)}(${cxt.data})`);
    },
  };
}

const multipleOf: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: { message: '', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
  code: (cxt) => cxt.fail(_`!${check(cxt, isMultipleOf)}(${cxt.data}, ${cxt.schemaCode})`),
};

/** A function of ours, as compiled code names it. */
function check({ gen }: KeywordCxt, ref: unknown) {
  return gen.scopeValue('func', { ref });
}
