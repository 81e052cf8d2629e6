import { IsInt, Max, Min } from 'class-validator';
import { FollowsRule, FromText, Secret } from '#api';
import { ConfiguredKeyRing } from './key-ring.js';

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
