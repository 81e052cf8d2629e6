export { compileSchema, type CompiledSchema } from './validation/compile-schema.js';
export { InvalidSchemaError } from './document/refuse.js';
export {
  checkCompatibility,
  type CompatibilityQuestion,
  type Incompatibility,
} from './compatibility/check-compatibility.js';
export { compatibilityPolicies, type CompatibilityPolicy } from './compatibility/rule.js';
export { schemaBounds } from './bounds.js';
export { excessOf } from './document/weight.js';
export { formats } from './values/formats.js';
export { topLevelColumns, type SchemaColumn } from './top-level-columns.js';
export { compilePattern, type Pattern } from './values/pattern.js';
