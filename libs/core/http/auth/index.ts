export {
  accessOf,
  actorOf,
  apiKeyOf,
  InjectPrincipal,
  Principal,
  takeEvents,
} from './authentication-result.js';
export * from './api-key.js';
export * from './auth-hook.js';
export * from './authenticate.js';
export * from './configured-and-issued-keys.js';
export * from './key-ring.js';
export * from './scope.js';
