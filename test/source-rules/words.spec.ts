import { describe, expect, it } from 'vitest';
import { tellHints } from './findings.js';
import { productionSources, readRules } from './sources.js';
import { countWords, wordFindings, wordsOf, type WordRules } from './words.js';

describe('the identifiers of the production sources', () => {
  it('contain the words of words.json at most as often as it says', () => {
    const rules = readRules<WordRules>('words.json');
    const findings = wordFindings(countWords(productionSources(), rules), rules);
    tellHints(findings);
    expect(findings.problems).toEqual([]);
  });
});

describe('wordsOf', () => {
  it.each([
    ['readGate', 'read gate'],
    ['HTTPFeed', 'http feed'],
    ['MAX_FEED_BYTES', 'max feed bytes'],
    ['#heldBytes2', 'held bytes'],
    ['dead-letter.ts', 'dead letter ts'],
  ])('splits %s', (identifier, words) => {
    expect(wordsOf(identifier)).toBe(words);
  });
});

describe('countWords', () => {
  const rules: WordRules = {
    letter: { say: 'dead letter', most: 0, except: ['dead letter'] },
    patch: { say: 'update', most: 0 },
    'read gate': { say: 'bulkhead', most: 0 },
  };
  const countsOf = (text: string, path = 'libs/a/x.ts') =>
    Object.fromEntries(countWords([{ path, text }], rules));

  it('counts declarations, uses and types, in singular and plural', () => {
    const text = 'class A { #patch = 1; b(patches: Patch[]) { return { patches, c: this.#patch }; } }';
    expect(countsOf(text)).toEqual({ letter: 0, patch: 5, 'read gate': 0 });
  });

  it('counts phrases, and does not count exceptions', () => {
    const text = 'const [deadLetters, lettersOf, newReadGate, readTheGate] = all;';
    expect(countsOf(text)).toEqual({ letter: 1, patch: 0, 'read gate': 1 });
  });

  it('counts the names of files', () => {
    expect(countsOf('', 'libs/a/read-gate.ts')).toMatchObject({ 'read gate': 1 });
  });

  it('counts neither comments nor strings, nor words inside of other words', () => {
    const text = "/** A letter. */ const dispatch = `letter ${'patch'}`; // patch";
    expect(countsOf(text)).toEqual({ letter: 0, patch: 0, 'read gate': 0 });
  });

  it('counts the expressions of templates and the elements of JSX', () => {
    expect(countsOf('const a = `${patch}`;')).toMatchObject({ patch: 1 });
    expect(countsOf('const a = <Patch letter="b">{patch}</Patch>;', 'a.tsx')).toMatchObject({
      letter: 1,
      patch: 3,
    });
  });
});

describe('wordFindings', () => {
  const rules: WordRules = { feed: { say: 'partition buffer', most: 2 } };

  it('reports a word with more uses than allowed', () => {
    expect(wordFindings(new Map([['feed', 3]]), rules)).toEqual({
      problems: ["uses of 'feed' in identifiers: 3, allowed: 2. Say 'partition buffer' instead"],
      hints: [],
    });
  });

  it('says that the number can be lowered if there are fewer', () => {
    expect(wordFindings(new Map([['feed', 1]]), rules)).toEqual({
      problems: [],
      hints: ["uses of 'feed' in identifiers: 1, allowed: 2. The number in words.json can be lowered"],
    });
  });

  it('accepts as many as allowed', () => {
    expect(wordFindings(new Map([['feed', 2]]), rules)).toEqual({ problems: [], hints: [] });
  });
});
