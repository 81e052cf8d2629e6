import { describe, expect, it, vi } from 'vitest';
import { compileParsed } from './compile.js';
import { parseExpression } from './parse.js';
import { eventVariable } from './variable.fixture.js';

const changed = (method: 'lowerAscii' | 'upperAscii', t: string) =>
  compileParsed(parseExpression(`event.data.t.${method}()`), eventVariable)({ data: { t } });

describe('ASCII letters', () => {
  it.each([
    ['', '', ''],
    ['@AZ[`az{ 019', '@az[`az{ 019', '@AZ[`AZ{ 019'],
    ['ÄaAßé', 'Äaaßé', 'ÄAAßé'],
    ['\u212aK\u0130I\u017fs', '\u212ak\u0130i\u017fs', '\u212aK\u0130I\u017fS'],
    ['😀A\u4141a', '😀a\u4141a', '😀A\u4141A'],
  ])('of %j change case, and no other characters do', (text, lower, upper) => {
    expect(changed('lowerAscii', text)).toBe(lower);
    expect(changed('upperAscii', text)).toBe(upper);
  });

  it.each(['', 'é'])('change case in one pass, even if they alternate often before %j', (end) => {
    const called = [vi.spyOn(String.prototype, 'toLowerCase'), vi.spyOn(String.prototype, 'toUpperCase')];
    try {
      changed('lowerAscii', 'aA'.repeat(1_000) + end);
      changed('upperAscii', 'aA'.repeat(1_000) + end);
      for (const { mock } of called) expect(mock.calls.length).toBeLessThanOrEqual(1);
    } finally {
      for (const spy of called) spy.mockRestore();
    }
  });
});
