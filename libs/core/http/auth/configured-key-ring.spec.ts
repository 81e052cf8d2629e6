import { describe, expect, it } from 'vitest';
import { generateKey } from './api-key.js';
import { ConfiguredKeyRing } from './key-ring.js';

const { keyId, sha256 } = generateKey();

describe('keys of the configuration', () => {
  it('are found by their id, with their scopes', () => {
    const ring = new ConfiguredKeyRing([`${keyId}:${sha256}:events:read+events:write`]);
    expect([...(ring.find(keyId)?.scopes ?? [])]).toEqual(['events:read', 'events:write']);
    expect(ring.find(keyId)?.secrets[0]?.sha256.toString('hex')).toBe(sha256);
    expect(ring.find('abcdefghijkl')).toBeUndefined();
  });

  it.each([
    ['no hash', `${keyId}`, /SHA-256/],
    ['a short hash', `${keyId}:abc:admin`, /SHA-256/],
    ['no scope', `${keyId}:${sha256}`, /scopes are/],
    ['an unknown scope', `${keyId}:${sha256}:events:read+root`, /scopes are/],
    ['an id of another form', `UPPER:${sha256}:admin`, /key id/],
  ])('are rejected with %s, and the error does not contain the entry', (_case, entry, message) => {
    const make = () => new ConfiguredKeyRing([entry]);
    expect(make).toThrow(message);
    expect(make).not.toThrow(sha256);
  });

  it('are rejected if two entries have the same id', () => {
    const entry = `${keyId}:${sha256}:admin`;
    expect(() => new ConfiguredKeyRing([entry, entry])).toThrow(/entry 2.*duplicate/);
  });
});
