import { isMultipleOf } from '../../values/decimal.js';
import type { ComparisonRule } from '../comparison-rule.js';
import {
  upperBoundOf,
  isAbove,
  isBelow,
  maximumCountOf,
  minimumCountOf,
  lowerBoundOf,
  type SizeKeywordSuffix,
  type NumberBound,
} from '../ranges.js';
import { valueKinds, valueKindsOf, numberKinds } from '../types.js';
import { valuesOfKind } from '../values.js';

/** Rule of schema comparison for `minimum`, `exclusiveMinimum`, `maximum` and `exclusiveMaximum`. */
export const bounds: ComparisonRule = (comparison, writer, part) => {
  if ((valueKindsOf(writer) & numberKinds) === 0) return [];
  const { schema } = part;
  const { names } = comparison;
  return ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'].flatMap((keyword) => {
    const value = schema[keyword];
    if (typeof value !== 'number') return [];
    const isLow = keyword === 'minimum' || keyword === 'exclusiveMinimum';
    const own = isLow ? lowerBoundOf(writer) : upperBoundOf(writer);
    const end = { value, open: keyword.startsWith('exclusive') };
    if (isLow ? !isAbove(end, own) : !isBelow(end, own)) return [];
    const detail = `${names.reader} has ${keyword} ${value}, ${names.writer} permits numbers ${isLow ? 'from' : 'up to'} ${said(own)}`;
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
  const { names } = comparison;
  const detail = `${names.reader} permits only multiples of ${step}, ${names.writer} permits other numbers too`;
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

/**
 * Rule of schema comparison for `minLength`, `maxLength`, `minItems`, `maxItems`, `minProperties` and `maxProperties`.
 */
export const counts: ComparisonRule = (comparison, writer, part) =>
  counted.flatMap(({ count, kind, fewer, more }) => {
    if ((valueKindsOf(writer) & kind) === 0) return [];
    const [min, max] = [part.schema[`min${count}`], part.schema[`max${count}`]];
    const [low, high] = [minimumCountOf(writer, count), maximumCountOf(writer, count)];
    const { names } = comparison;
    const found = [];
    if (typeof min === 'number' && low < min) {
      const detail = `${names.reader} has min${count} ${min}, ${names.writer} permits ${low}`;
      found.push(...comparison.differs({ writer, part, keyword: `min${count}` }, more, detail));
    }
    if (typeof max === 'number' && high > max) {
      const detail = `${names.reader} has max${count} ${max}, ${names.writer} permits ${high === Infinity ? 'any number' : high}`;
      found.push(...comparison.differs({ writer, part, keyword: `max${count}` }, fewer, detail));
    }
    return found;
  });
