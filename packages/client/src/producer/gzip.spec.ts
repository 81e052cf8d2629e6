import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gzip, gzipInBrowser } from './gzip.js';

it.each([
  ['in Node', gzip],
  ['in a browser', gzipInBrowser],
])('bytes compressed %s are the same after decompression', async (_, compress) => {
  const bytes = new TextEncoder().encode('{"n":1}\n'.repeat(10_000));
  const compressed = await compress(bytes);
  expect(compressed.length).toBeLessThan(bytes.length / 10);
  expect(gunzipSync(compressed).equals(bytes)).toBe(true);
});
