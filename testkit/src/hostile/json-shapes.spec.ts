import { describe, expect, it } from 'vitest';
import { limits } from '#event';
import { hostileJson } from './json-shapes.js';

describe('each hostile shape of JSON', () => {
  it.each(hostileJson.map((shape) => [shape.name, shape] as const))(
    '%s: is a JSON object of nearly the requested size',
    (_name, { text }) => {
      for (const bytes of [1_000, 100_000]) {
        const json = text(bytes);
        expect(Buffer.byteLength(json)).toBeLessThanOrEqual(bytes);
        expect(Buffer.byteLength(json)).toBeGreaterThan(bytes * 0.6);
        expect(JSON.parse(json)).toBeTypeOf('object');
      }
    },
  );

  it('is not deeper than the limit', () => {
    for (const { text } of hostileJson)
      expect(depthOf(JSON.parse(text(1_000)))).toBeLessThan(limits.jsonDepth);
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
