export {
  accessOf,
  actorOf,
  apiKeyOf,
  hasScope,
  requireStillAuthenticated,
  takeEvents,
} from './authentication-result.js';
export * from './api-key.js';
export * from './auth-hook.js';
export * from './authenticate.js';
export { AcceptsBasicAuth } from './basic-auth.js';
export { ClickHouseCredentials } from './clickhouse-credentials.js';
export { configuredAndIssuedKeys } from './configured-and-issued-keys.js';
export * from './configured-key-ring.js';
export * from './issued-key-ring.js';
export * from './key-ring.js';
export { KeySettings } from './key-settings.js';
export * from './require-scope.js';
export * from './scope.js';
