import { describe, expect, it } from 'vitest';
import { isExpressionIn } from './expression-places.js';

const definition = {
  source: { streams: ['orders'], where: 'x', idle_after: 'soon' },
  operators: [
    { filter: 'x' },
    { filter: 7 },
    { map: { data: { 'a/b': { c: 'x' } }, event_type: 'x', entity_id: 'x' } },
    { flat_map: { list: 'x', as: '' } },
    { enrich: { from: { projection: 'a.b' }, key: 'x', as: 'y' } },
    { window: { tumbling: '0s', key: 'x', lateness: '1y' } },
    { reduce: { n: { op: 'sum', value: 'x' }, m: { op: 'count', value: 'x' } } },
    { branch: [{ when: 'x', operators: [{ dedupe: { key: 'x', within: 'x' } }] }] },
    { emit: { stream: 'a b' } },
  ],
};

describe('an error of an expression', () => {
  it.each([
    ...[
      '/source/where',
      '/operators/0/filter',
      '/operators/2/map/data/a~1b/c',
      '/operators/2/map/event_type',
    ],
    ...['/operators/2/map/entity_id', '/operators/3/flat_map/list', '/operators/4/enrich/key'],
    ...['/operators/5/window/key', '/operators/6/reduce/n/value', '/operators/7/branch/0/when'],
    '/operators/7/branch/0/operators/0/dedupe/key',
  ])('is one at %s', (pointer) => {
    expect(isExpressionIn(definition, pointer)).toBe(true);
  });

  it.each([
    ...[
      '/source',
      '/source/idle_after',
      '/operators',
      '/operators/0',
      '/operators/1/filter',
      '/operators/9/filter',
    ],
    ...[
      '/operators/2/map/data',
      '/operators/2/map/data/a~1b',
      '/operators/2/map/data/none',
      '/operators/3/flat_map/as',
    ],
    ...[
      '/operators/4/enrich/from/projection',
      '/operators/5/window/tumbling',
      '/operators/5/window/lateness',
    ],
    ...['/operators/6/reduce/n/op', '/operators/6/reduce/m/value', '/operators/8/emit/stream', '/name', ''],
    '/operators/7/branch/0/operators/0/dedupe/within',
  ])('is none at %s', (pointer) => {
    expect(isExpressionIn(definition, pointer)).toBe(false);
  });
});
