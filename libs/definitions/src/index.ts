export * from './definitions.js';
export { openDefinitions, type DefinitionsOptions } from './open-definitions.js';
export { definitionsHealth, DefinitionsStoppedError } from './definitions-health.js';
