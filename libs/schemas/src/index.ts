export { compileSchema, type CompiledSchema } from './validation/compile-schema.js';
export { InvalidSchemaError } from './document/invalid-schema-error.js';
export { checkCompatibility, type CompatibilityRequest } from './compatibility/check-compatibility.js';
export { compatibilityPolicies, type ComparisonStrictness } from './compatibility/incompatibility-reason.js';
export { schemaBounds } from './bounds.js';
export { excessStepsOf } from './document/own-steps.js';
export { formats } from './values/formats.js';
export { topLevelColumns } from './top-level-columns.js';
export { compilePattern, type LinearPattern } from './values/pattern.js';
