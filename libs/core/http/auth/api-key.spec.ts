import { describe, expect, it } from 'vitest';
import { generateKey, hashOfKey, keyIdOf } from './api-key.js';

describe('an API key', () => {
  it('has the format trb_<key_id>_<secret>_<checksum>, from which its id can be parsed', () => {
    const { key, keyId, sha256 } = generateKey();
    expect(key).toMatch(/^trb_[a-z0-9]{12}_[A-Za-z0-9]{40}_[0-9a-f]{6}$/);
    expect(keyIdOf(key)).toBe(keyId);
    expect(hashOfKey(key).toString('hex')).toBe(sha256);
  });

  it('is never generated twice', () => {
    const made = new Set(Array.from({ length: 200 }, () => generateKey().key));
    expect(made.size).toBe(200);
  });

  it('is detected as mistyped if any one character changes', () => {
    const { key } = generateKey();
    for (let i = 0; i < key.length; i++) {
      const changed = key.slice(0, i) + (key[i] === '7' ? '8' : '7') + key.slice(i + 1);
      expect(keyIdOf(changed), `character ${i}`).toBeUndefined();
    }
  });

  it.each(['', 'trb_', 'trb___', 'x'.repeat(100_000), 'trb_abcdefghijkl_short_abcdef'])(
    'is not recognized in %j',
    (text) => {
      expect(keyIdOf(text)).toBeUndefined();
    },
  );
});
