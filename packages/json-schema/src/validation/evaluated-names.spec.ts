import { describe, expect, it } from 'vitest';
import { EvaluatedNames } from './validation-context.js';

describe('EvaluatedNames', () => {
  it('removes the names that a branch added when the branch is reverted', () => {
    const evaluated = new EvaluatedNames();
    evaluated.add('a');
    const { count } = evaluated;
    evaluated.add('b');
    evaluated.add('a');
    evaluated.backTo(count);
    expect([evaluated.has('a'), evaluated.has('b'), evaluated.count]).toEqual([true, false, 1]);
    evaluated.add('b');
    expect(evaluated.has('b')).toBe(true);
  });
});
