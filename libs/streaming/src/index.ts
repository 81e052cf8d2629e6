export * from './dedupe/index.js';
export * from './folds/index.js';
export { compileExpression, compileParsed } from './expressions/compile.js';
export { parseCondition } from './expressions/condition.js';
export * from './expressions/errors.js';
export { eventValue } from './expressions/event-value.js';
export { parseExpression } from './expressions/parse.js';
export { Decimal } from './expressions/decimal.js';
export { compareNumeric, Duration, Timestamp, type Value, type ValueObject } from './expressions/values.js';
