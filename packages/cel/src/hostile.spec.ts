import { describe, expect, it } from 'vitest';
import { hostileExpressions } from '#testkit';
import { compileCondition } from './compile.js';
import { parseCondition } from './parse-checked.js';
import { RegexTooLargeError } from './errors.js';
import type { CelObject } from './values.js';
import { eventVariable } from './variable.fixture.js';

/**
 * The limits of how much data an evaluation of an expression reads have their specs in `budget.spec.ts` and
 * `text-search.spec.ts`.
 */
describe('the worst known conditions', () => {
  it.each(hostileExpressions)('$name: is rejected, or is true or false', ({ where, event }) => {
    let run: (event: CelObject) => boolean;
    try {
      run = compileCondition(parseCondition(where, eventVariable), eventVariable);
    } catch (error) {
      expect(error).toBeInstanceOf(RegexTooLargeError);
      return;
    }
    expect(typeof run({ ...event, stream: 'hostile' } as unknown as CelObject)).toBe('boolean');
  });

  it('are within the limits of requests, so that the parser does not reject them', () => {
    for (const { where, event } of hostileExpressions) {
      expect(where.length).toBeLessThanOrEqual(4096);
      expect(JSON.stringify(event).length).toBeLessThan(1024 * 1024);
    }
  });

  it('are rejected if their patterns are too large', () => {
    const tooLarge = hostileExpressions.filter(({ where }) => where.includes('{900}'));
    expect(tooLarge.length).toBeGreaterThan(1);
    for (const { where } of tooLarge)
      expect(() => parseCondition(where, eventVariable)).toThrow(RegexTooLargeError);
  });
});
