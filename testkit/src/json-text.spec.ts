import { describe, expect, it } from 'vitest';
import { elementsOf, membersOf } from './json-text.js';

describe('membersOf', () => {
  it('keeps the text of every value unchanged', () => {
    const data = '{"big":9007199254740993,"price":0.10,"nested":{"a":[1,2,{"}":"]"}]}}';
    const members = membersOf(`{"id":"x","data":${data},"after":null}`);
    expect(members.get('data')).toBe(data);
    expect([...members.keys()]).toEqual(['id', 'data', 'after']);
  });

  it('is not confused by quotes, brackets and commas inside strings', () => {
    const members = membersOf(String.raw`{"a\"b,{":"}\\\",[", "c" : [ "]" ] }`);
    expect(members.get('a"b,{')).toBe(String.raw`"}\\\",["`);
    expect(members.get('c')).toBe('[ "]" ]');
  });

  it('accepts an empty object and refuses other values', () => {
    expect(membersOf('{}').size).toBe(0);
    expect(() => membersOf('[1]')).toThrow(SyntaxError);
    expect(() => membersOf('{"a":1')).toThrow(SyntaxError);
  });
});

describe('elementsOf', () => {
  it('splits at the outermost commas only', () => {
    expect(elementsOf('[{"a":[1,2]},0.10,"x,y",[]]')).toEqual(['{"a":[1,2]}', '0.10', '"x,y"', '[]']);
    expect(elementsOf(' [] ')).toEqual([]);
  });
});
