import { keyIdPattern } from './api-key.js';
import type { ApiKey, KeyRing } from './key-ring.js';
import { isScope, scopes } from './scope.js';

/**
 * Key ring of the API keys in the setting API_KEYS, one entry per key: `<key_id>:<sha256 hex of the whole
 * key>:<scope>+<scope>…`.
 * @throws Error with the number of the invalid entry and the reason, never with the entry itself
 */
export class ConfiguredKeyRing implements KeyRing {
  private readonly keys = new Map<string, ApiKey>();

  constructor(entries: readonly string[]) {
    entries.forEach((entry, index) => {
      const key = parseEntry(entry, index + 1);
      if (this.keys.has(key.keyId)) throw new Error(`API_KEYS entry ${index + 1}: its key id is a duplicate`);
      this.keys.set(key.keyId, key);
    });
  }

  find(keyId: string): ApiKey | undefined {
    return this.keys.get(keyId);
  }
}

function parseEntry(entry: string, number: number): ApiKey {
  const [keyId = '', hash = '', ...rest] = entry.split(':');
  const named = rest.join(':').split('+');
  if (!keyIdPattern.test(keyId))
    throw new Error(`API_KEYS entry ${number}: the key id is not 12 of a-z, 0-9`);
  if (!/^[0-9a-f]{64}$/i.test(hash))
    throw new Error(`API_KEYS entry ${number}: the SHA-256 is not 64 hex digits`);
  if (!named.every(isScope)) {
    throw new Error(`API_KEYS entry ${number}: scopes are ${scopes.join(', ')}, joined by +`);
  }
  return { keyId, secrets: [{ sha256: Buffer.from(hash, 'hex') }], scopes: new Set(named) };
}
