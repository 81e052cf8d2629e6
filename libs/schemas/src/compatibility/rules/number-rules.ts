import { multipleOf } from '../../values/decimal.js';
import type { ComparisonRule } from '../comparison-rule.js';
import { highest, isAbove, isBelow, largest, least, lowest, type Count, type End } from '../ranges.js';
import { kinds, kindsOf, numberKinds } from '../types.js';
import { valuesOfKind } from '../values.js';

/** Compares `minimum`, `exclusiveMinimum`, `maximum` and `exclusiveMaximum`. */
export const bounds: ComparisonRule = (comparison, writer, part) => {
  if ((kindsOf(writer) & numberKinds) === 0) return [];
  const { schema } = part;
  const { names } = comparison;
  return ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'].flatMap((keyword) => {
    const value = schema[keyword];
    if (typeof value !== 'number') return [];
    const isLow = keyword === 'minimum' || keyword === 'exclusiveMinimum';
    const own = isLow ? lowest(writer) : highest(writer);
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

function said({ value }: End): string {
  return Number.isFinite(value) ? String(value) : 'any size';
}

/** Compares `multipleOf`. */
export const multiple: ComparisonRule = (comparison, writer, part) => {
  const step = part.schema.multipleOf;
  const written = kindsOf(writer);
  if (typeof step !== 'number' || (written & numberKinds) === 0) return [];
  const isMultiple = multipleOf(step);
  const fits = (value: number) => isMultiple(value);
  const steps = writer.parts.flatMap(({ schema }) =>
    typeof schema.multipleOf === 'number' ? [schema.multipleOf] : [],
  );
  if ((written & kinds.fraction) === 0) steps.push(1);
  if (steps.some(fits) || (valuesOfKind(writer, numberKinds) as number[] | undefined)?.every(fits)) return [];
  const { names } = comparison;
  const detail = `${names.reader} permits only multiples of ${step}, ${names.writer} permits other numbers too`;
  return comparison.differs({ writer, part, keyword: 'multipleOf' }, 'multiple_of_changed', detail);
};

const counted = [
  { count: 'Length', kind: kinds.string, fewer: 'max_length_decreased', more: 'min_length_increased' },
  { count: 'Items', kind: kinds.array, fewer: 'max_items_decreased', more: 'min_items_increased' },
  {
    count: 'Properties',
    kind: kinds.object,
    fewer: 'max_properties_decreased',
    more: 'min_properties_increased',
  },
] as const satisfies { count: Count; kind: number; fewer: string; more: string }[];

/** Compares `minLength`, `maxLength`, `minItems`, `maxItems`, `minProperties` and `maxProperties`. */
export const counts: ComparisonRule = (comparison, writer, part) =>
  counted.flatMap(({ count, kind, fewer, more }) => {
    if ((kindsOf(writer) & kind) === 0) return [];
    const [min, max] = [part.schema[`min${count}`], part.schema[`max${count}`]];
    const [low, high] = [least(writer, count), largest(writer, count)];
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
