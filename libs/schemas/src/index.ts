export { compileSchema, type CompiledSchema } from './validation/compile-schema.js';
export { InvalidSchemaError } from './document/refuse.js';
export {
  checkCompatibility,
  type CompatibilityQuestion,
  type Incompatibility,
} from './compatibility/check-compatibility.js';
export { compatibilityPolicies, type CompatibilityPolicy } from './compatibility/rule.js';
export { formats } from './validation/formats.js';
export { compilePattern, type Pattern } from './validation/pattern.js';
