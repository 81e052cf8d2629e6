import { describe, expect, it } from 'vitest';
import { allStreams, type StreamAccess } from '#api';
import { SqlParams } from './sql-params.js';
import { streamConditions, type ScopedStreamFilter } from './stream-scope.js';

const outside: StreamAccess = { patterns: undefined, reserved: false };
const only = (...patterns: string[]): StreamAccess => ({ patterns, reserved: false });
const notReserved = 'NOT startsWith(stream, {p1:String})';
const notDropped = 'stream NOT IN (SELECT stream FROM dropped_streams)';

const cases: [string, ScopedStreamFilter, string[], unknown[]][] = [
  ['everything', { access: allStreams }, [notDropped], []],
  ['one stream of everything', { access: allStreams, streams: ['a'] }, ['stream = {p0:String}'], ['a']],
  ['one stream named twice', { access: allStreams, streams: ['a', 'a'] }, ['stream = {p0:String}'], ['a']],
  [
    'several of them',
    { access: allStreams, streams: ['a', 'b'] },
    ['stream IN {p0:Array(String)}'],
    [['a', 'b']],
  ],
  [
    'everything but the reserved',
    { access: outside },
    ['NOT startsWith(stream, {p0:String})', notDropped],
    ['tributary.'],
  ],
  ['one permitted name', { access: only('a') }, ['stream = {p0:String}'], ['a']],
  ['permitted names', { access: only('a', 'b') }, ['stream IN {p0:Array(String)}'], [['a', 'b']]],
  [
    'a permitted prefix',
    { access: only("a'*") },
    ['(startsWith(stream, {p0:String}))', notReserved, notDropped],
    ["a'", 'tributary.'],
  ],
  [
    'names and prefixes',
    { access: { patterns: ['a', 'b*', 'c', 'd*'], reserved: true } },
    [
      '(stream IN {p0:Array(String)} OR startsWith(stream, {p1:String}) OR startsWith(stream, {p2:String}))',
      notDropped,
    ],
    [['a', 'c'], 'b', 'd'],
  ],
  [
    'one stream that a prefix covers',
    { access: only('a*'), streams: ['abc', 'b'] },
    ['stream = {p0:String}'],
    ['abc'],
  ],
  [
    'streams that are not covered',
    { access: only('a*'), streams: ['b'] },
    ['stream IN {p0:Array(String)}'],
    [[]],
  ],
  ['none', { access: only() }, ['stream IN {p0:Array(String)}'], [[]]],
  [
    'a reserved stream, not being permitted it',
    { access: outside, streams: ['tributary.audit'] },
    ['stream IN {p0:Array(String)}'],
    [[]],
  ],
  [
    'all but the hidden',
    { access: allStreams, hidden: ['a'] },
    ['stream NOT IN {p0:Array(String)}', notDropped],
    [['a']],
  ],
  [
    'a hidden stream by name',
    { access: allStreams, hidden: ['a'], streams: ['a', 'b'] },
    ['stream = {p0:String}'],
    ['b'],
  ],
];

describe('streamConditions', () => {
  it.each(cases)('returns the conditions for %s', (...[, scope, sql, values]) => {
    const params = new SqlParams();
    expect(streamConditions(scope, params)).toEqual(sql);
    expect(Object.values(params.values)).toEqual(values);
  });
});
