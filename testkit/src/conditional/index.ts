export * from './attempt.js';
export * from './attempt-history.js';
export * from './check-versions.js';
export * from './conditional-write-driver.js';
export * from './decide-log.js';
