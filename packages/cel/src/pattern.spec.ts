import { RE2JS } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import { StepBudget, withinBudget } from './budget.js';
import { compileParsed } from './compile.js';
import { parseExpression } from './parse.js';
import { compiledPattern } from './pattern.js';
import type { CelObject } from './values.js';
import { eventVariable } from './variable.fixture.js';

const event = { data: { t: 'a0123456789', p: '[a-c]+[0-9]{3}' } } as unknown as CelObject;
let others = 0;
/**
 * Compiles as many other regular expressions as the cache of compiled patterns holds, which evicts all earlier ones.
 */
const forget = (): void => {
  for (let i = 0; i < 100; i++) parseExpression(`event.data.t.matches("other${others++}")`);
};
const stepsOf = (run: () => unknown): number => {
  const budget = new StepBudget(400_000);
  withinBudget(budget, run);
  return 400_000 - budget.most(400_000);
};

describe('a literal pattern', () => {
  it('is compiled once, with its expression', () => {
    const run = compileParsed(parseExpression('event.data.t.matches("^written[0-9]+$")'), eventVariable);
    forget();
    const compile = vi.spyOn(RE2JS, 'compile');
    try {
      run(event);
      expect(compile).not.toHaveBeenCalled();
    } finally {
      compile.mockRestore();
    }
  });

  it('has the same cost and value after other patterns have been compiled', () => {
    const patterns = Array.from({ length: 20 }, (_, i) => `[a${'bcdefghij'.repeat(16)}${i}]`);
    const searches = patterns.map((pattern) => `event.data.t.matches("${pattern}")`).join(' && ');
    const run = compileParsed(parseExpression(`${searches} && event.data.l.all(x, x != 1)`), eventVariable);
    const large = { data: { t: 'a0123456789', l: Array.from({ length: 360_000 }, () => 0) } };
    expect(run(large as unknown as CelObject)).toBe(true);
    forget();
    expect(run(large as unknown as CelObject)).toBe(true);
  });
});

describe('a computed pattern', () => {
  it('takes the same steps whether it is cached or not', () => {
    const run = compileParsed(parseExpression('event.data.t.matches(event.data.p)'), eventVariable);
    forget();
    const first = stepsOf(() => expect(run(event)).toBe(true));
    const second = stepsOf(() => expect(run(event)).toBe(true));
    expect(second).toBe(first);
    expect(first).toBeGreaterThan(200);
  });

  it('is not compiled if it is too large, and takes steps for its characters', () => {
    const nested = `${'('.repeat(9)}${'ab'.repeat(455)}${'){2}'.repeat(9)}`;
    const run = compileParsed(
      parseExpression('event.data.p.exists(p, event.data.t.matches(p))'),
      eventVariable,
    );
    const compile = vi.spyOn(RE2JS, 'compile');
    try {
      const steps = stepsOf(() => expect(() => run({ data: { t: 'x', p: [nested] } })).toThrow('too large'));
      expect(steps).toBeGreaterThan(10_000);
      expect(compile).not.toHaveBeenCalled();
    } finally {
      compile.mockRestore();
    }
  });
});

describe('compiled patterns', () => {
  it('are cached', () => {
    expect(compiledPattern('kept')).toBeInstanceOf(RE2JS);
    expect(compiledPattern('kept')).toBe(compiledPattern('kept'));
  });

  it('are not cached if they have too many instructions', () => {
    const large = `(?:${Array.from({ length: 100 }, (_, i) => i + 100).join('|')}){12}`;
    expect(compiledPattern(large)?.programSize()).toBeGreaterThan(300);
    expect(compiledPattern(large)).not.toBe(compiledPattern(large));
  });
});
