import { IsInt, Max, Min } from 'class-validator';
import { FromText, Secret } from '#api';
import { AreApiKeys } from './are-api-keys.js';

/** Settings of API keys. */
export class KeySettings {
  /**
   * Comma-separated keys in addition to those that the gateway has issued on its core port, each
   * `<key_id>:<sha256 hex of the whole key>:<scope>+<scope>…`.
   */
  @Secret() @FromText('list') @AreApiKeys() API_KEYS: string[] = [];
  /** Seconds without Kafka after which issued keys are rejected, because a revocation would be unknown here. */
  @FromText('number') @IsInt() @Min(10) @Max(31_536_000) KEYS_MAX_AGE_SECONDS = 300;
}
