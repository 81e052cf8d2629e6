export * from './expression-tree.js';
export { compileCondition } from './compile.js';
export { parseCondition } from './condition.js';
export * from './errors.js';
export { maxCharacters, parseExpression } from './parse.js';
export { DecimalText } from './decimal.js';
export { compareNumeric, type CelObject } from './values.js';
export { LazyObject, memberValue } from './lazy-object.js';
export { checkKinds } from './check-kinds.js';
export { checkComparisons } from './check-comparisons.js';
export { compileParsed } from './compile.js';
export { checkLiterals } from './check-literals.js';
export { kinds, namesOfKinds, type KindSet, anyButNull, kindsOf, anyKind } from './kinds.js';
export { type CelValue, compare, Duration, isNumeric, Timestamp, isObject } from './values.js';
export {
  canonicalNumber,
  numberBounds,
  powerOfTen,
  scaledDecimal,
  scaledText,
  unitsAt,
  type CelNumber,
  type ScaledDecimal,
  readDecimal,
  compareScaled,
} from './decimal.js';
export { placesOf, tens } from './small-decimal.js';
export { quotient } from './quotient.js';
export { toJson } from './to-json.js';
export { StepBudget, withinBudget } from './budget.js';
export { whereToSql } from './sql/where-to-sql.js';
export { readableColumns } from './sql/sql-expressions-by-kind.js';
export { microsOfTimeText } from './sql/time-text.js';
export { UntranslatableExpressionError } from './sql/untranslatable.js';
export { parseExactJson } from './json.js';
export { isComputable } from './number-range.js';
export type { Variable } from './variable.js';
export type { SqlColumn, SqlTable } from './sql/sql-table.js';
export type { SqlValueBinder } from './sql/sql-value-binder.js';
