// A door for Tributary's write path; the published package does not have it, because its types are those of `#json`.
export { schemaScanOf } from './schema-scan.js';
export { type ScanningValidator, ValidatingJsonScanner } from './validating-json-scanner.js';
