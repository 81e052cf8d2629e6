import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '#testkit';
import { patternSize } from './pattern-size.js';

describe('the estimated size of a pattern', () => {
  it.each([
    ['a', 1],
    ['a{3}', 3],
    ['a{3,}', 3],
    ['a{3,7}b{2}', 9],
    ['(?:[ab]?){900}'.repeat(20), 18_000],
    ['(?:(?:a{10}){10}){10}', 1_000],
    ['(?:(?:a{10}b){10}c){10}d', 1_111],
    ['(a{2}){2}', 8],
    ['(?P<n>a)(?<m>b)(?i:c)(?s)d', 8],
    ['(?:a{900}){0}', 0],
    ['ab|cde|f', 3],
    ['(?:ab|cd){5}', 10],
    ['\\{900\\}', 5],
    ['a{', 2],
    ['a{01}', 5],
    ['\\\\{900}', 900],
    ['\\Q{900}\\E', 5],
    ['\\Qab\\E{3}', 4],
    ['\\Q[\\Ea{900}]', 902],
    ['[{900}]', 1],
    ['[]{900}]a{2}', 3],
    ['[\\]{900}]', 1],
    ['[[:alpha:]{900}]', 1],
    ['[\\x{0400}-\\x{0451}]', 1],
    ['\\x{0400}{7}\\x41{2}\\101{2}\\pL{2}\\p{Greek}{2}', 15],
    ['😀{3}', 3],
    ['', 0],
  ])('of %s is at least %i', (source, least) => {
    expect(patternSize(source).least).toBe(least);
  });

  it('multiplies nested repetitions', () => {
    const nested = `${'('.repeat(9)}${'ab'.repeat(455)}${'){2}'.repeat(9)}`;
    expect(patternSize(nested)).toMatchObject({ least: 910 * 2 ** 9 + 2 * (2 ** 10 - 2) });
  });

  it('counts single-character alternatives as one instruction, and counts all others separately', () => {
    expect(patternSize('(?:a|b|c|[de]|\\d){100}').most).toBeLessThan(300);
    expect(patternSize('(?:aa|bb|cc|dd|ee){100}').most).toBeGreaterThan(1_000);
  });

  it('has bounds around the number of instructions of any pattern', () => {
    const random = new SeededRandom(20_261_122);
    let compiled = 0;
    for (let i = 0; i < 5_000; i++) {
      const source = randomPattern(random, 3);
      const instructions = instructionsOf(source);
      if (instructions === undefined) continue;
      compiled++;
      const { least, most } = patternSize(source);
      expect(least, source).toBeLessThanOrEqual(instructions);
      expect(most, source).toBeGreaterThanOrEqual(instructions);
    }
    expect(compiled).toBeGreaterThan(2_000);
  });
});

function instructionsOf(source: string): number | undefined {
  try {
    return RE2JS.compile(source).programSize();
  } catch {
    return undefined;
  }
}

const atoms = [
  ...[
    'a',
    'b',
    'K',
    'ſ',
    '.',
    '^',
    '$',
    '\\b',
    '\\B',
    '\\A',
    '\\z',
    '\\d',
    '\\pL',
    '\\p{Greek}',
    '\\PN',
    '\\x41',
  ],
  ...[
    '\\x{1F600}',
    '\\101',
    '\\07',
    '\\.',
    '\\Qab{3}\\E',
    '\\Q\\E',
    '[ab]',
    '[^a-z]',
    '[]a]',
    '[[:alpha:]_]',
  ],
  ...[
    '[{3}]',
    '[\\]{9}]',
    '😀',
    '{',
    '{,3}',
    '{01}',
    '(?i)',
    '(?s-i)',
    'a{2}(?i){3}',
    '}',
    '[a]',
    '(?:a)',
    '[\\s\\S]',
  ],
];
const repeats = [
  '*',
  '+',
  '?',
  '{0}',
  '{1}',
  '{2}',
  '{3,}',
  '{0,}',
  '{0,0}',
  '{0,4}',
  '{2,5}',
  '{1,1}',
  '{7}',
];

function randomPattern(random: SeededRandom, depth: number): string {
  const part = (): string => {
    const isGroup = depth > 0 && random.chance(0.5);
    const one = isGroup ? randomGroup(random, depth) : random.chance(0.1) ? '' : random.pick(atoms);
    if (one === '' || random.chance(0.6)) return one;
    return one + random.pick(repeats) + (random.chance(0.2) ? '?' : '');
  };
  return Array.from({ length: 1 + random.int(3) }, part).join('');
}

function randomGroup(random: SeededRandom, depth: number): string {
  const begin = random.pick([
    '(',
    '(?:',
    '(?i:',
    '(?U:',
    `(?P<n${random.int(1e6)}>`,
    `(?<m${random.int(1e6)}>`,
  ]);
  const alternatives = Array.from({ length: 1 + random.int(4) }, () => randomPattern(random, depth - 1));
  return `${begin}${alternatives.join(random.chance(0.7) ? '|' : '')})`;
}
