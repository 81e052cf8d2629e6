import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { durationMs, ProblemError } from '#api';
import type { EpochMicros } from '#json';
import { systemActor, type Actor, type Definitions, type ApiKeyDefinition } from '#registry';
import { generateKey } from '#http';
import { endOfKey, issuedKey, revokedKey, rotatedKey } from './key-changes.js';
import type { KeyInput } from './key-input.js';
import './key-problems.js';

/**
 * Microseconds for which an expired or revoked API key is still listed. After the key is removed from the list, only
 * the audit stream has its history.
 */
const endedKeptMicros = durationMs('7d') * 1000;
/** When a key is issued, at most this many keys that expired or were revoked more than 7 days ago are removed. */
const forgottenAtOnce = 10;

/** An API key that was issued or rotated, and its text, which cannot be read again. */
interface IssuedKey {
  definition: ApiKeyDefinition;
  key: string;
}

/**
 * Issues, rotates and revokes API keys. A change applies in this gateway process at once, and in other processes within
 * a second.
 */
@Injectable()
export class KeyStore {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  all(): ApiKeyDefinition[] {
    return this.definitions.keys.all();
  }

  /** Returns an issued key. @throws ProblemError key_not_found */
  get(keyId: string): ApiKeyDefinition {
    return found(this.definitions.keys.get(keyId));
  }

  /** Issues a key. @throws ProblemError definition_limit_reached, definition_conflict, log_unavailable */
  async issue(input: KeyInput, actor: Actor): Promise<IssuedKey> {
    const now = microsNow();
    await this.forgetEnded(now, actor);
    const made = generateKey();
    const next = (current: ApiKeyDefinition | undefined): ApiKeyDefinition => {
      if (current) throw new Error('the id of the new key exists already');
      return issuedKey(input, made, now);
    };
    const { value } = await this.definitions.keys.change(made.keyId, next, actor);
    return { definition: found(value), key: made.key };
  }

  /**
   * Gives a key a new secret.
   * @throws ProblemError key_not_found, key_inactive, definition_limit_reached, definition_conflict, log_unavailable
   */
  async rotate(keyId: string, { overlapMs, actor }: { overlapMs: number; actor: Actor }): Promise<IssuedKey> {
    const { key, sha256 } = generateKey(this.get(keyId).key_id);
    const next = (current: ApiKeyDefinition | undefined) =>
      rotatedKey(found(current), { sha256, overlapMs }, microsNow());
    const { value } = await this.definitions.keys.change(keyId, next, actor);
    return { definition: found(value), key };
  }

  /** Revokes a key. @throws ProblemError key_not_found, definition_conflict, log_unavailable */
  async revoke(keyId: string, actor: Actor): Promise<void> {
    this.get(keyId);
    const next = (current: ApiKeyDefinition | undefined) => revokedKey(found(current), microsNow());
    await this.definitions.keys.change(keyId, next, actor);
  }

  private async forgetEnded(now: EpochMicros, { request_id }: Actor): Promise<void> {
    const system = { ...systemActor, request_id };
    const isOld = (key: ApiKeyDefinition) => (endOfKey(key, now) ?? now) < now - endedKeptMicros;
    const next = (current: ApiKeyDefinition | undefined) => (current && isOld(current) ? undefined : current);
    const old = this.all().filter(isOld).slice(0, forgottenAtOnce);
    await Promise.all(old.map(({ key_id }) => this.definitions.keys.change(key_id, next, system)));
  }
}

function microsNow(): EpochMicros {
  return Date.now() * 1000;
}

function found(key: ApiKeyDefinition | undefined): ApiKeyDefinition {
  if (key) return key;
  throw new ProblemError(
    'key_not_found',
    'No key with this id was issued. Keys from the configuration (API_KEYS) are changed there.',
  );
}
