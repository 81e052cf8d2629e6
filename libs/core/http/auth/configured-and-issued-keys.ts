import { authRejections } from '../metrics.js';
import type { AuthOptions } from './auth-hook.js';
import { ConfiguredKeyRing, IssuedKeyRing, type IssuedKeyDefinition, joinKeyRings } from './key-ring.js';
import { IsInt, Max, Min } from 'class-validator';
import { FollowsRule, FromText, Secret } from '#api';

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

/** Settings of API keys. */
export class KeySettings {
  /**
   * Comma-separated keys in addition to those that the gateway has issued on its core port, each
   * `<key_id>:<sha256 hex of the whole key>:<scope>+<scope>…`.
   */
  @Secret() @FromText('list') @FollowsRule('areApiKeys', apiKeysError) API_KEYS: string[] = [];
  /** Seconds without Kafka after which issued keys are rejected, because a revocation would be unknown here. */
  @FromText('number') @IsInt() @Min(10) @Max(31_536_000) KEYS_MAX_AGE_SECONDS = 300;
}

/** Returns the first error in a list of API keys, without a key or a hash. */
function apiKeysError(entries: unknown): string | undefined {
  try {
    void new ConfiguredKeyRing(entries as string[]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
