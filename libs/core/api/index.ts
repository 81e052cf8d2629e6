export * from './characters.js';
export * from './compose-settings.js';
export * from './config.js';
export * from './duration.js';
export {
  AreHostNames,
  AreNetworks,
  ArePorts,
  DiffersFrom,
  FollowsRule,
  hostNamePattern,
  RequiresSettings,
} from './config-rules.js';
export * from './event-input.js';
export * from './kafka-compression.js';
export * from './kafka-log-options.js';
export * from './problem.js';
export * from './stream-access.js';
export * from './stream-input.js';
