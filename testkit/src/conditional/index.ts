export * from './attempt.js';
export * from './attempt-history.js';
export * from './check-versions.js';
export * from './conditional-driver.js';
export * from './decide-log.js';
