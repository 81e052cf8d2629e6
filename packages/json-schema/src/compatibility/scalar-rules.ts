import { canonicalText } from '../values/equality.js';
import type { ComparisonRule } from './comparison.js';
import {
  kindsOfTypes,
  valueKindsOf,
  permits,
  typesOfKinds,
  valueLists,
  valueKinds,
  numberKinds,
  valuesOf,
  valuesOfKind,
  upperBoundOf,
  isAbove,
  isBelow,
  maximumCountOf,
  minimumCountOf,
  lowerBoundOf,
  type SizeKeywordSuffix,
  type NumberBound,
} from './types.js';
import { isMultipleOf } from '../values/decimal.js';
import { formats } from '../values/formats.js';
import { compilePattern } from '../values/pattern.js';

/** Rule of schema comparison for `type`. */
export const types: ComparisonRule = (comparison, writer, part) => {
  if (part.schema.type === undefined) return [];
  const permitted = kindsOfTypes([part.schema.type].flat() as string[]);
  const written = valueKindsOf(writer);
  if ((written & ~permitted) === 0) return [];
  const detail = `${comparison.reader} permits only ${typesOfKinds(permitted).join(', ')}, ${comparison.writer} also permits ${typesOfKinds(written & ~permitted).join(', ')}`;
  const rule = (written & permitted) === 0 ? 'type_changed' : 'type_narrowed';
  return comparison.differs({ writer, part, keyword: 'type' }, rule, detail);
};

/** Rule of schema comparison for `enum` and `const`. */
export const values: ComparisonRule = (comparison, writer, part) =>
  valueLists(part.schema).flatMap((permitted) => {
    const known = new Set(permitted.map(canonicalText));
    const written = valuesOf(writer);
    const at = { writer, part, keyword: permitted === part.schema.enum ? 'enum' : 'const' };
    if (!written) {
      const detail = `${comparison.reader} permits only listed values, ${comparison.writer} permits others`;
      return comparison.differs(at, 'enum_array_narrowed', detail);
    }
    const missing = written.filter((value) => !known.has(canonicalText(value)));
    if (missing.length === 0) return [];
    const rule = missing.length === written.length ? 'enum_array_changed' : 'enum_array_narrowed';
    return comparison.differs(
      at,
      rule,
      `${comparison.reader} does not permit ${listed(missing)}, ${comparison.writer} does`,
    );
  });

function listed(some: unknown[]): string {
  return some
    .slice(0, 5)
    .map((value) => canonicalText(value).slice(0, 50))
    .join(', ');
}

/** Rule of schema comparison for `minimum`, `exclusiveMinimum`, `maximum` and `exclusiveMaximum`. */
export const bounds: ComparisonRule = (comparison, writer, part) => {
  if (!permits(writer, numberKinds)) return [];
  const { schema } = part;
  return ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'].flatMap((keyword) => {
    const value = schema[keyword];
    if (typeof value !== 'number') return [];
    const isLow = keyword === 'minimum' || keyword === 'exclusiveMinimum';
    const own = isLow ? lowerBoundOf(writer) : upperBoundOf(writer);
    const end = { value, open: keyword.startsWith('exclusive') };
    if (isLow ? !isAbove(end, own) : !isBelow(end, own)) return [];
    const detail = `${comparison.reader} has ${keyword} ${value}, ${comparison.writer} permits numbers ${isLow ? 'from' : 'up to'} ${said(own)}`;
    return comparison.differs(
      { writer, part, keyword },
      isLow ? 'minimum_increased' : 'maximum_decreased',
      detail,
    );
  });
};

function said({ value }: NumberBound): string {
  return Number.isFinite(value) ? String(value) : 'any size';
}

/** Rule of schema comparison for `multipleOf`. */
export const multiple: ComparisonRule = (comparison, writer, part) => {
  const step = part.schema.multipleOf;
  const written = valueKindsOf(writer);
  if (typeof step !== 'number' || (written & numberKinds) === 0) return [];
  const isMultiple = isMultipleOf(step);
  const fits = (value: number) => isMultiple(value);
  const steps = writer.parts.flatMap(({ schema }) =>
    typeof schema.multipleOf === 'number' ? [schema.multipleOf] : [],
  );
  if ((written & valueKinds.fraction) === 0) steps.push(1);
  if (steps.some(fits) || (valuesOfKind(writer, numberKinds) as number[] | undefined)?.every(fits)) return [];
  const detail = `${comparison.reader} permits only multiples of ${step}, ${comparison.writer} permits other numbers too`;
  return comparison.differs({ writer, part, keyword: 'multipleOf' }, 'multiple_of_changed', detail);
};

const counted = [
  { count: 'Length', kind: valueKinds.string, fewer: 'max_length_decreased', more: 'min_length_increased' },
  { count: 'Items', kind: valueKinds.array, fewer: 'max_items_decreased', more: 'min_items_increased' },
  {
    count: 'Properties',
    kind: valueKinds.object,
    fewer: 'max_properties_decreased',
    more: 'min_properties_increased',
  },
] as const satisfies { count: SizeKeywordSuffix; kind: number; fewer: string; more: string }[];

/** Rule of schema comparison for the limits of length, items and properties, such as `minLength`. */
export const counts: ComparisonRule = (comparison, writer, part) =>
  counted.flatMap(({ count, kind, fewer, more }) => {
    if (!permits(writer, kind)) return [];
    const [min, max] = [part.schema[`min${count}`], part.schema[`max${count}`]];
    const [low, high] = [minimumCountOf(writer, count), maximumCountOf(writer, count)];
    const found = [];
    if (typeof min === 'number' && low < min) {
      const detail = `${comparison.reader} has min${count} ${min}, ${comparison.writer} permits ${low}`;
      found.push(...comparison.differs({ writer, part, keyword: `min${count}` }, more, detail));
    }
    if (typeof max === 'number' && high > max) {
      const detail = `${comparison.reader} has max${count} ${max}, ${comparison.writer} permits ${high === Infinity ? 'any number' : high}`;
      found.push(...comparison.differs({ writer, part, keyword: `max${count}` }, fewer, detail));
    }
    return found;
  });

/**
 * Rule of schema comparison for `pattern`. Two different regular expressions count as incompatible even if they match
 * the same texts, unless all texts that the writer permits are listed.
 */
export const pattern: ComparisonRule = (comparison, writer, part) => {
  const source = part.schema.pattern;
  if (typeof source !== 'string' || !permits(writer, valueKinds.string)) return [];
  if (writer.parts.some(({ schema }) => schema.pattern === source)) return [];
  const compiled = compilePattern(source);
  if ((valuesOfKind(writer, valueKinds.string) as string[] | undefined)?.every((text) => compiled.test(text)))
    return [];
  const detail = `${comparison.reader} has a pattern that ${comparison.writer} does not have`;
  return comparison.differs({ writer, part, keyword: 'pattern' }, 'pattern_changed', detail);
};

/** Rule of schema comparison for `format`. */
export const format: ComparisonRule = (comparison, writer, part) => {
  const name = part.schema.format;
  if (typeof name !== 'string' || !permits(writer, valueKinds.string)) return [];
  if (writer.parts.some(({ schema }) => schema.format === name)) return [];
  const check = formats.get(name);
  if (
    check &&
    (valuesOfKind(writer, valueKinds.string) as string[] | undefined)?.every((text) => check(text))
  )
    return [];
  const detail = `${comparison.reader} permits only texts of the format ${name}, ${comparison.writer} permits others too`;
  return comparison.differs({ writer, part, keyword: 'format' }, 'format_changed', detail);
};
