import { Matches, IsOptional, IsPositive, IsString } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { readDefinition } from './read-definition.js';
import { IsPresent, IsTextOrNull, ListOf, MapOf, Nested, NestedOr } from './record-members.js';
import { UnreadableDefinitionError } from './resource-kind.js';

class Leaf {
  @Matches(/^[a-z]+$/) name: string;
  @IsOptional() @IsPositive() rate?: number;
}

class Definition extends Leaf {
  @IsTextOrNull() failure: string | null;
  @IsOptional() @IsString({ each: true }) texts?: readonly string[];
  @IsOptional() @Nested(() => Leaf) leaf?: Leaf;
  @IsOptional() @NestedOr(null, () => Leaf) current?: Leaf | null;
  @IsOptional() @ListOf(() => Leaf) list?: readonly Leaf[];
  @IsOptional() @MapOf(() => Leaf) map?: Readonly<Record<string, Leaf>>;
  @IsOptional() @IsPresent() free?: unknown;
}

const given = { name: 'a', failure: null };
const read = (more: object) => readDefinition(Definition, { ...given, ...more });

describe('readDefinition', () => {
  it('returns a plain object with the decorated members only, at every depth', () => {
    const leaf = { name: 'b', rate: 1 };
    const members = { leaf, current: null, list: [leaf], map: { x: leaf }, texts: ['t'] };
    const more = { ...leaf, more: 1 };
    const result = read({
      ...members,
      ...{ leaf: more, list: [more], map: { x: more }, more },
    });
    expect(result).toStrictEqual({ ...given, ...members });
    expect(Object.keys(read({ rate: undefined, texts: [] }))).toEqual(['name', 'failure', 'texts']);
  });

  it('keeps names and values of free JSON', () => {
    const free: unknown = JSON.parse('{"constructor":{"__proto__":[{"constructor":1}]}}');
    expect(read({ free }).free).toBe(free);
    const leaf = { name: 'b' };
    const map = JSON.parse('{"__proto__":{"name":"b"},"constructor":{"name":"b"}}') as object;
    expect(Object.entries(read({ map }).map ?? {})).toEqual([
      ['__proto__', leaf],
      ['constructor', leaf],
    ]);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'the record breaks the rule isObject'],
    ['a list', [], 'the record breaks the rule isObject'],
    ['a missing member', { failure: null }, '/name breaks the rule matches'],
    ['a missing member that may be null', { name: 'a' }, '/failure breaks the rule isTextOrNull'],
    ['null for an optional member', { ...given, rate: null }, '/rate breaks the rule isPositive'],
    ['a wrong item', { ...given, texts: ['a', 1] }, '/texts breaks the rule isString'],
    ['null for an object', { ...given, leaf: null }, '/leaf breaks the rule isObject'],
    ['a list for an object', { ...given, current: [] }, '/current breaks the rule isObjectOr null'],
    ['an object for a list', { ...given, list: {} }, '/list breaks the rule isArray'],
    ['a wrong member of an object', { ...given, current: {} }, '/current/name breaks the rule matches'],
    ['a wrong item of a list', { ...given, list: [{ name: 'b' }, 1] }, '/list/1 breaks the rule isObject'],
    ['a wrong item of a map', { ...given, map: { x: { name: 7 } } }, '/map/x/name breaks the rule matches'],
  ])('rejects %s', (_name, value, message) => {
    expect(() => readDefinition(Definition, value)).toThrow(new UnreadableDefinitionError(message));
  });
});
