import { describe, expect, it } from 'vitest';
import {
  outlineOf,
  ran,
  readStatements,
  statementsOf,
  withoutKey,
  withoutSaved,
  withSaved,
  withStatements,
} from './sql-statements.js';

const none = statementsOf([], 'a');

describe('the statements of a key', () => {
  it('keep the last fifty, the latest first, each once', () => {
    let one = none;
    for (let i = 0; i < 60; i++) one = ran(one, `SELECT ${i}`);
    one = ran(one, 'SELECT 30');
    expect(one.history).toHaveLength(50);
    expect(one.history.slice(0, 2)).toEqual(['SELECT 30', 'SELECT 59']);
    expect(one.history.filter((text) => text === 'SELECT 30')).toHaveLength(1);
  });

  it('do not keep a long statement', () => {
    const long = 'x'.repeat(10_001);
    expect(ran(none, long).history).toEqual([]);
    expect(() => withSaved(none, 'long', long)).toThrow('at most 10000 characters');
  });

  it('are saved by name, in the order of names', () => {
    const two = withSaved(withSaved(none, 'b', 'SELECT 1'), 'a', 'SELECT 2');
    expect(withSaved(two, 'b', 'SELECT 3').saved).toEqual([
      { name: 'a', statement: 'SELECT 2' },
      { name: 'b', statement: 'SELECT 3' },
    ]);
    expect(withoutSaved(two, 'a').saved.map(({ name }) => name)).toEqual(['b']);
  });

  it('are at most fifty saved ones', () => {
    let one = none;
    for (let i = 0; i < 50; i++) one = withSaved(one, `n${i}`, 'SELECT 1');
    expect(() => withSaved(one, 'one more', 'SELECT 1')).toThrow('Delete one first');
    expect(withSaved(one, 'n7', 'SELECT 7').saved).toHaveLength(50);
  });

  it('are kept for the five keys that were used last', () => {
    let all = readStatements(null);
    for (const key of 'abcdefa') all = withStatements(all, ran(statementsOf(all, key), `SELECT '${key}'`));
    expect(all.map(({ keyId }) => keyId)).toEqual(['a', 'f', 'e', 'd', 'c']);
    expect(withoutKey(all, 'e').map(({ keyId }) => keyId)).toEqual(['a', 'f', 'd', 'c']);
  });

  it('are read back, and nothing else is', () => {
    const one = withSaved(ran(none, 'SELECT 1'), 'n', 'SELECT 2');
    expect(readStatements(JSON.stringify([one, null, { keyId: 'x' }, { ...one, history: [1] }]))).toEqual([
      one,
    ]);
    for (const text of ['{', '{}', 'null', '[{"keyId":"a","history":[],"saved":[null]}]'])
      expect(readStatements(text), text).toEqual([]);
  });

  it('have outlines of one line', () => {
    expect(outlineOf(' SELECT 1\n  FROM x ')).toBe('SELECT 1 FROM x');
    expect(outlineOf('x'.repeat(100))).toBe(`${'x'.repeat(89)}…`);
  });
});
