import { describe, expect, it } from 'vitest';
import { leastInstructions } from './pattern-bounds.js';

describe('the least instructions of a pattern', () => {
  it.each([
    ['a', 0],
    ['a{3}', 3],
    ['a{3,}', 3],
    ['a{3,7}b{2}', 9],
    ['(?:[ab]?){900}'.repeat(20), 18_000],
    ['\\{900\\}', 0],
    ['a{', 0],
    ['\\\\{900}', 900],
    ['\\Q{900}\\E', 0],
    ['\\Q\\\\E{900}', 900],
    ['\\Q[\\Ea{900}]', 900],
    ['[{900}]', 0],
    ['[]{900}]a{2}', 2],
    ['[\\]{900}]', 0],
    ['[[:alpha:]{900}]', 0],
    ['[\\x{0400}-\\x{0451}]', 0],
    ['\\x{0400}{7}', 7],
  ])('%s takes at least %i', (source, least) => {
    expect(leastInstructions(source)).toBe(least);
  });
});
