import { authRejections } from '../metrics.js';
import type { AuthOptions } from './auth-hook.js';
import type { KeySettings } from './key-settings.js';
import { ConfiguredKeyRing, IssuedKeyRing, type IssuedKeyDefinition, joinKeyRings } from './key-ring.js';

/** The issued keys as this process knows them, and the age of this knowledge. */
interface IssuedKeys {
  keys: { get(keyId: string): IssuedKeyDefinition | undefined };
  ageMs: number;
}

/** Returns options of `requireApiKeys` that accept the keys of the settings and the issued keys. */
export function configuredAndIssuedKeys(settings: KeySettings, issued: () => IssuedKeys): AuthOptions {
  return {
    keyRing: joinKeyRings(
      new ConfiguredKeyRing(settings.API_KEYS),
      new IssuedKeyRing({ get: (keyId) => issued().keys.get(keyId) }),
    ),
    issuedKeys: { ageMs: () => issued().ageMs, mostMs: settings.KEYS_MAX_AGE_SECONDS * 1000 },
    onRefused: (code) => authRejections.inc({ code }),
  };
}
