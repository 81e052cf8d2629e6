export * from './characters.js';
export * from './config.js';
export * from './duration.js';
export { AreHostNames, AreNetworks, DiffersFrom, FollowsRule, hostNamePattern } from './config-rules.js';
export * from './event-input.js';
export * from './kafka-compression.js';
export * from './problem.js';
export * from './stream-access.js';
export * from './stream-input.js';
