import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { plainPattern } from './pattern.js';

const atoms = [
  'a',
  'B',
  '7',
  ' ',
  '-',
  '_',
  '@',
  String.raw`\d`,
  String.raw`\w`,
  String.raw`\.`,
  String.raw`\/`,
  '[A-Z]',
  '[a-z0-9_-]',
  '[.+*]',
  String.raw`[\w.\-]`,
];
const quantities = ['', '', '', '?', '*', '+', '{3}', '{0,2}', '{2,}', '{1,40}'];
const source = fc
  .array(fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...quantities)), { maxLength: 5 })
  .map((parts) => `^${parts.flat().join('')}$`);
const text = fc.string({
  unit: fc.constantFrom('a', 'B', '7', ' ', '-', '_', '@', '.', '/', '+', 'é', '😀', '\n'),
  maxLength: 8,
});

describe('plainPattern', () => {
  it('returns an expression that matches the same texts as in RE2', () => {
    fc.assert(
      fc.property(source, text, (pattern, value) => {
        const plain = plainPattern(pattern);
        if (plain) expect(plain.test(value)).toBe(RE2JS.compile(pattern).matcher(value).find());
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    String.raw`^[A-Z]{2}-\d{4,8}$`,
    '^[a-z0-9_-]+$',
    '^#[0-9a-fA-F]{6}$',
    String.raw`^\+?[0-9]{7,15}$`,
  ])('accepts %s', (pattern) => {
    expect(plainPattern(pattern)).toBeInstanceOf(RegExp);
  });

  it.each([
    'abc',
    '^a',
    'a$',
    '^(a)$',
    '^a|b$',
    '^.$',
    String.raw`^\s$`,
    '^[^a]$',
    '^[b-x]$',
    '^a**$',
    '^a+b+$',
    '^a{1,40}b{1,40}$',
    String.raw`^\b$`,
    '^é$',
    '^a{2,1}$',
  ])('leaves %s to RE2', (pattern) => {
    expect(plainPattern(pattern)).toBeUndefined();
  });

  it('takes linear time for worst-case texts', () => {
    const pattern = plainPattern('^a*a{1,8}$');
    const start = process.cpuUsage();
    expect(pattern?.test(`${'a'.repeat(1_000_000)}b`)).toBe(false);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5_000);
  });
});
