import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { entityHash } from './name-uuid.js';

describe('the hash of an entity', () => {
  it('is SHA-256 of the stream, a zero byte and the id, as UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('orders'), Buffer.from([0]), Buffer.from('jürgen 𝄞')]);
    expect(entityHash('orders', 'jürgen 𝄞')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('differs for streams and ids that are equal when joined without a separator', () => {
    expect(entityHash('a', 'bc')).not.toBe(entityHash('ab', 'c'));
  });
});
