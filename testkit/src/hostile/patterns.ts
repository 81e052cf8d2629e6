/** A regular expression with a text for which a backtracking engine is slow. */
interface HostilePattern {
  name: string;
  pattern: string;
  /** The text that is searched, of at most 1 MiB as JSON. */
  text: string;
}

/** A pattern that compiles to a program of 470 000 instructions. */
export const doubling = `${'('.repeat(9)}${'ab'.repeat(455)}${'){2}'.repeat(9)}`;

/** The most expensive known regular expressions, each with its text. */
export const hostilePatterns: readonly HostilePattern[] = [
  { name: 'nested repeats', pattern: '^((a+)+)+$', text: `${'a'.repeat(200_000)}!` },
  { name: 'alternatives that overlap', pattern: '^(a|a|aa)*$', text: `${'a'.repeat(200_000)}!` },
  { name: 'two repeats side by side', pattern: '^\\s*\\s*\\s*x$', text: ' '.repeat(200_000) },
  { name: 'a repeat before an end that is not there', pattern: 'x*y', text: 'x'.repeat(200_000) },
  { name: 'a program of many instructions', pattern: '(?:[ab]?){900}c', text: 'ab'.repeat(100_000) },
  { name: 'the same twenty times', pattern: '(?:[ab]?){900}'.repeat(20), text: 'ab'.repeat(100_000) },
  { name: 'nested counted repeats', pattern: '(((a{1,30}){1,30}){1,30})b', text: 'a'.repeat(100_000) },
  { name: 'groups, each of which doubles', pattern: doubling, text: 'ab'.repeat(100_000) },
  {
    name: 'a repeat of many alternatives',
    pattern: `(?:${Array.from({ length: 240 }, (_, i) => i).join('|')}){60}`,
    text: '0123'.repeat(50_000),
  },
  { name: 'every letter of Unicode', pattern: '^(\\p{L}|\\p{M}|\\p{N}){1,500}$', text: 'ř̌'.repeat(100_000) },
  { name: 'letters of either case', pattern: '(?i)(straße|ſ|K)+$', text: 'STRASSEſK'.repeat(20_000) },
  { name: 'a lazy repeat', pattern: '^.*?.*?.*?=$', text: '='.repeat(100_000) + '!' },
  { name: 'looking ahead', pattern: '(?=(a+))\\1b', text: 'a'.repeat(100_000) },
  {
    name: 'many alternatives',
    pattern: Array.from({ length: 500 }, (_, i) => `w${i}`).join('|'),
    text: 'w'.repeat(200_000),
  },
];
