export { StepBudget, withinBudget } from './budget.js';
export {
  Calendar,
  calendarUnits,
  zoneDataVersion,
  type CalendarInterval,
  type CalendarUnit,
} from './calendar.js';
export { checkKinds } from './check-kinds.js';
export { compileCondition, compileParsed } from './compile.js';
export {
  canonicalNumber,
  compareScaled,
  DecimalText,
  numberBounds,
  powerOfTen,
  quotient,
  readDecimal,
  scaledDecimal,
  scaledText,
  unitsAt,
  type CelNumber,
  type ScaledDecimal,
} from './decimal.js';
export * from './errors.js';
export type { BinaryOperator, ExpressionTree } from './expression-tree.js';
export { parseExactJson } from './json.js';
export { anyButNull, anyKind, kinds, kindsOf, namesOfKinds, type KindSet } from './kinds.js';
export { memberPathsOf } from './member-paths.js';
export { isComputable } from './number-range.js';
export { checkComparisons, parseChecked, parseCondition } from './parse-checked.js';
export { maxCharacters, parseExpression } from './parse.js';
export { placesOf, tens } from './small-decimal.js';
export { readableColumns } from './sql/sql-value.js';
export type { SqlColumn, SqlTable, SqlValueBinder } from './sql/sql-table.js';
export { microsOfTimeText } from './sql/time-text.js';
export { numberToSql, whereToSql } from './sql/where-to-sql.js';
export { toJson } from './to-json.js';
export {
  compare,
  compareNumeric,
  Duration,
  isNumeric,
  isObject,
  LazyObject,
  memberValue,
  Timestamp,
  type CelObject,
  type CelValue,
} from './values.js';
export type { Variable } from './variable.js';
