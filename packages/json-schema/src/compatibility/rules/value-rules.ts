import { canonicalText } from '../../values/equality.js';
import type { ComparisonRule } from '../comparison-rule.js';
import { kindsOfTypes, valueKindsOf, typesOfKinds, valueLists } from '../types.js';
import { valuesOf } from '../values.js';

/** Rule of schema comparison for `type`. */
export const types: ComparisonRule = (comparison, writer, part) => {
  if (part.schema.type === undefined) return [];
  const permitted = kindsOfTypes([part.schema.type].flat() as string[]);
  const written = valueKindsOf(writer);
  if ((written & ~permitted) === 0) return [];
  const { names } = comparison;
  const detail = `${names.reader} permits only ${typesOfKinds(permitted).join(', ')}, ${names.writer} also permits ${typesOfKinds(written & ~permitted).join(', ')}`;
  const rule = (written & permitted) === 0 ? 'type_changed' : 'type_narrowed';
  return comparison.differs({ writer, part, keyword: 'type' }, rule, detail);
};

/** Rule of schema comparison for `enum` and `const`. */
export const values: ComparisonRule = (comparison, writer, part) =>
  valueLists(part.schema).flatMap((permitted) => {
    const known = new Set(permitted.map(canonicalText));
    const written = valuesOf(writer);
    const { names } = comparison;
    const at = { writer, part, keyword: permitted === part.schema.enum ? 'enum' : 'const' };
    if (!written) {
      const detail = `${names.reader} permits only listed values, ${names.writer} permits others`;
      return comparison.differs(at, 'enum_array_narrowed', detail);
    }
    const missing = written.filter((value) => !known.has(canonicalText(value)));
    if (missing.length === 0) return [];
    const rule = missing.length === written.length ? 'enum_array_changed' : 'enum_array_narrowed';
    return comparison.differs(
      at,
      rule,
      `${names.reader} does not permit ${listed(missing)}, ${names.writer} does`,
    );
  });

function listed(some: unknown[]): string {
  return some
    .slice(0, 5)
    .map((value) => canonicalText(value).slice(0, 50))
    .join(', ');
}
