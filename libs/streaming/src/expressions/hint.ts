/** Words that other languages have, and what says the same in CEL. */
const words: Record<string, string> = {
  and: 'write && instead of "and"',
  or: 'write || instead of "or"',
  not: 'write ! instead of "not"',
  is: 'compare with == or !=, such as == null',
  like: 'use startsWith(), endsWith(), contains() or matches()',
  between: 'write two comparisons, joined by &&',
};

/**
 * What somebody who knows SQL, JavaScript or Python has probably meant where CEL finds an error; undefined where
 * nothing comes to mind. `at` is the place in the text, counted in characters from 0.
 */
export function hintAt(text: string, at: number): string | undefined {
  const [before, after] = [text.slice(0, at), text.slice(at)];
  if (after.startsWith('=')) return /[=!]=$/.test(before) ? 'compare with == or !=' : 'compare with ==';
  if (after.startsWith('>') && before.endsWith('<')) return 'write != instead of <>';
  if (after.startsWith('&')) return 'write && for "and"';
  if (after.startsWith('|')) return 'write || for "or"';
  if (/^[“”„‘’«»`]/.test(after)) return 'put text in straight quotes: "x" or \'x\'';
  if (after.startsWith(';')) return 'leave out the semicolon';
  if (after.startsWith(',') && /\bin\s*\([^()]*$/.test(before)) return 'write a list in brackets: [1, 2]';
  const word = /^[A-Za-z]+/.exec(after)?.[0] ?? '';
  const wordBefore = /([A-Za-z]+)\s*$/.exec(before)?.[1] ?? '';
  return wordHint(word) ?? wordHint(wordBefore);
}

function wordHint(word: string): string | undefined {
  const lower = word.toLowerCase();
  return Object.hasOwn(words, lower) ? words[lower] : undefined;
}
