import { describe, expect, it } from 'vitest';
import { completionAt, identifier, type SqlView } from './sql-completion.js';

const views: readonly SqlView[] = [
  {
    name: 'events',
    columns: [
      { name: 'event_type', type: 'String' },
      { name: 'stream', type: 'String' },
    ],
  },
  {
    name: 'shop__paid',
    columns: [
      { name: 'amount', type: 'Float64' },
      { name: 'amount paid', type: 'String' },
    ],
  },
];

/** Returns the suggestions at the caret, which is `|`. */
function suggested(text: string): string[] | undefined {
  const caret = text.indexOf('|');
  return completionAt(text.replace('|', ''), caret, views)?.suggestions.map(({ text }) => text);
}

describe('the completion of SQL', () => {
  it('suggests views, keywords and functions', () => {
    expect(suggested('SELECT 1 FROM shop|')).toEqual(['shop__paid']);
    expect(suggested('SEL|')).toEqual(['SELECT']);
    expect(suggested('SELECT countI|')).toEqual(['countIf(']);
  });

  it('suggests the columns of the views that the statement names', () => {
    expect(suggested('SELECT amou| FROM shop__paid')).toEqual(['amount', '`amount paid`']);
    expect(suggested('SELECT amou| FROM events')).toBeUndefined();
    expect(suggested('SELECT stre| FROM my_events')).toEqual(['stream']);
  });

  it('suggests only columns after a dot', () => {
    expect(suggested('SELECT e.s| FROM events e')).toEqual(['stream']);
  });

  it('suggests names that contain the word after those that begin with it', () => {
    expect(suggested('SELECT type| FROM events')).toEqual(['event_type']);
  });

  it('replaces the word before the caret', () => {
    expect(completionAt('SELECT eve FROM x', 10, views)?.start).toBe(7);
  });

  it.each([
    ['without a word', 'SELECT |'],
    ['inside of a word', 'SELECT ev|ent'],
    ['in a text', "SELECT 'eve|"],
    ['in a quoted name', 'SELECT `eve|'],
    ['in a comment', 'SELECT 1 -- eve|'],
    ['for a complete word', 'SELECT|'],
    ['in a number', 'SELECT 1e|'],
    ['in a long statement', `SEL| ${' '.repeat(20_000)}`],
  ])('suggests nothing %s', (_name, text) => expect(suggested(text)).toBeUndefined());

  it('suggests after a text and a comment', () => {
    expect(suggested("SELECT 'it''s', /* ' */ strea|")).toEqual(['stream']);
  });

  it('quotes names that need it', () => {
    expect(['a_1', '1a', 'a`b\\'].map(identifier)).toEqual(['a_1', '`1a`', '`a\\`b\\\\`']);
  });
});
