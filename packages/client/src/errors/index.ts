export * from './problem-classes.js';
export { ProblemError } from './problem-error.js';
export { SqlError } from './sql-error.js';
export * from './tributary-error.js';
export { UnexpectedStatusError } from './unexpected-status-error.js';
