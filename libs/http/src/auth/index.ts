export { accessOf, actorOf, apiKeyOf, takeEvents } from './admission.js';
export * from './are-api-keys.js';
export * from './api-key.js';
export * from './auth-hook.js';
export * from './authenticate.js';
export * from './key-ring.js';
export * from './require-scope.js';
export * from './scope.js';
