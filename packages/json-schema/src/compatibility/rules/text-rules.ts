import { formats } from '../../values/formats.js';
import { compilePattern } from '../../values/pattern.js';
import type { ComparisonRule } from '../comparison-rule.js';
import { valueKinds, valueKindsOf } from '../types.js';
import { valuesOfKind } from '../values.js';

/**
 * Rule of schema comparison for `pattern`. Two different regular expressions count as incompatible even if they match
 * the same texts, unless all texts that the writer permits are listed.
 */
export const pattern: ComparisonRule = (comparison, writer, part) => {
  const source = part.schema.pattern;
  if (typeof source !== 'string' || (valueKindsOf(writer) & valueKinds.string) === 0) return [];
  if (writer.parts.some(({ schema }) => schema.pattern === source)) return [];
  const compiled = compilePattern(source);
  if ((valuesOfKind(writer, valueKinds.string) as string[] | undefined)?.every((text) => compiled.test(text)))
    return [];
  const { names } = comparison;
  const detail = `${names.reader} has a pattern that ${names.writer} does not have`;
  return comparison.differs({ writer, part, keyword: 'pattern' }, 'pattern_changed', detail);
};

/** Rule of schema comparison for `format`. */
export const format: ComparisonRule = (comparison, writer, part) => {
  const name = part.schema.format;
  if (typeof name !== 'string' || (valueKindsOf(writer) & valueKinds.string) === 0) return [];
  if (writer.parts.some(({ schema }) => schema.format === name)) return [];
  const check = formats.get(name);
  if (
    check &&
    (valuesOfKind(writer, valueKinds.string) as string[] | undefined)?.every((text) => check(text))
  )
    return [];
  const { names } = comparison;
  const detail = `${names.reader} permits only texts of the format ${name}, ${names.writer} permits others too`;
  return comparison.differs({ writer, part, keyword: 'format' }, 'format_changed', detail);
};
