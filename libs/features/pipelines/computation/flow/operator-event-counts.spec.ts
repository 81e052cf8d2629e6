import { describe, expect, it } from 'vitest';
import type { OperatorJson } from '../operators/operator.js';
import { flowOf, pipelineOf } from '../pipeline.fixture.js';
import type { OperatorChain } from './pipeline.js';
import { OperatorEventCounter, sumStepCounts, type CountedOperator } from './operator-event-counts.js';

const out: OperatorJson = { emit: { stream: 'out' } };
const window: OperatorJson[] = [
  { window: { tumbling: '1m', key: 'event.data.k', lateness: '0s' } },
  { reduce: { n: { op: 'count' } } },
];
const all: OperatorJson[] = [
  { filter: 'event.data.n > 0' },
  { flat_map: { list: 'event.data.list', as: 'item' } },
  { map: { data: { item: 'event.data.item + 1' } } },
  {
    branch: [
      { when: 'event.data.item > 2', operators: [out] },
      { when: 'event.data.item > 1', operators: window.concat(out) },
    ],
  },
];

/**
 * Runs a chain on events with these data, and returns the counts of its operators (in, out, dropped, late, failed) as
 * texts such as `/operators/0/filter 3 2 1 0 0`.
 */
function countsOf(steps: readonly CountedOperator[], chain: OperatorChain, ...datas: string[]): string[] {
  const counter = new OperatorEventCounter(steps);
  const ends = { drop: 'dropped', late: 'late', fail: 'failed' } as const;
  for (const data of datas)
    for (const { kind, at } of chain.run(flowOf(data), () => null, counter))
      if (kind in ends) counter.end(at, ends[kind as keyof typeof ends]);
  const counts = counter.counts();
  return steps.map(({ path, operator, key }) => `${path}/${operator} ${counts[key]?.join(' ')}`);
}

describe('the operators of a definition', () => {
  it('are listed in its order, with those in branches', () => {
    const branch = '/operators/3/branch';
    expect(pipelineOf(...all).steps.map(({ path, operator }) => [path, operator])).toEqual([
      ['/operators/0', 'filter'],
      ['/operators/1', 'flat_map'],
      ['/operators/2', 'map'],
      ['/operators/3', 'branch'],
      [`${branch}/0/operators/0`, 'emit'],
      [`${branch}/1/operators/0`, 'window'],
      [`${branch}/1/operators/1`, 'reduce'],
      [`${branch}/1/operators/2`, 'emit'],
    ]);
  });

  it('are counted under different keys, and a window under another key when it changes', () => {
    const keysOf = (key: string) =>
      pipelineOf({ dedupe: { key, within: '1s' } }, out).steps.map((step) => step.key);
    expect(new Set(pipelineOf(...all).steps.map(({ key }) => key)).size).toBe(8);
    expect(keysOf('event.data.k')).toEqual(keysOf('event.data.k'));
    expect(keysOf('event.data.k')[0]).not.toBe(keysOf('event.data.n')[0]);
    expect(keysOf('event.data.k')[1]).toBe('/operators/1/emit');
  });
});

describe('a chain counts the events', () => {
  const pipeline = pipelineOf(...all);
  const {
    steps,
    source: { chain },
  } = pipeline;

  it('that enter and leave each of its operators', () => {
    const datas = ['{"n":0}', '{"n":"x"}', '{"n":1,"list":[]}', '{"n":1,"list":[1,2,3,0,"a"],"k":"a"}'];
    expect(countsOf(steps, chain, ...datas)).toEqual([
      '/operators/0/filter 4 2 1 0 1',
      '/operators/1/flat_map 2 5 1 0 0',
      '/operators/2/map 5 4 0 0 1',
      '/operators/3/branch 4 3 1 0 0',
      '/operators/3/branch/0/operators/0/emit 2 2 0 0 0',
      // The map has replaced the data, so the event has no key.
      '/operators/3/branch/1/operators/0/window 1 0 0 0 1',
      '/operators/3/branch/1/operators/1/reduce 0 0 0 0 0',
      '/operators/3/branch/1/operators/2/emit 0 0 0 0 0',
    ]);
  });

  it('of a branch without operators, which ends there', () => {
    const {
      steps,
      source: { chain },
    } = pipelineOf({
      branch: [
        { when: 'event.data.n > 1', operators: [] },
        { otherwise: true, operators: [out] },
      ],
    });
    expect(countsOf(steps, chain, '{"n":1}', '{"n":2}', '{"n":3}')).toEqual([
      '/operators/0/branch 3 3 0 0 0',
      '/operators/0/branch/1/operators/0/emit 1 1 0 0 0',
    ]);
  });

  it('from the operator at which a replayed event continues', () => {
    const counts = countsOf(steps, pipeline.entry('/operators/2/map')!, '{"item":0}', '{"item":"a"}');
    expect(counts.filter((text) => !text.endsWith('0 0 0 0 0'))).toEqual([
      '/operators/2/map 2 1 0 0 1',
      '/operators/3/branch 1 0 1 0 0',
    ]);
    const emit = '/operators/3/branch/0/operators/0/emit';
    expect(countsOf(steps, pipeline.entry(emit)!, '{}')[4]).toBe(`${emit} 1 1 0 0 0`);
    const two = pipelineOf(out, { filter: 'true' }, out);
    expect(countsOf(two.steps, two.entry('/operators/0/emit')!, '{}')).toEqual([
      '/operators/0/emit 1 1 0 0 0',
      '/operators/1/filter 0 0 0 0 0',
      '/operators/2/emit 0 0 0 0 0',
    ]);
  });

  it('once, although lookups evaluate its operators too', () => {
    const enrich = { enrich: { from: { projection: 'known' }, key: 'event.data.k', as: 'found' } };
    const {
      steps,
      source: { chain },
    } = pipelineOf({ filter: 'true' }, enrich, out);
    expect(chain.lookups(flowOf('{"k":"a"}'), () => undefined)).toHaveLength(1);
    chain.trace(flowOf('{"k":"a"}'), () => null);
    expect(countsOf(steps, chain, '{"k":"a"}')).toEqual([
      '/operators/0/filter 1 1 0 0 0',
      '/operators/1/enrich 1 1 0 0 0',
      '/operators/2/emit 1 1 0 0 0',
    ]);
  });
});

describe('a counter', () => {
  it('ignores an operator that its definition does not have', () => {
    const { steps } = pipelineOf(out);
    const counter = new OperatorEventCounter(steps);
    counter.end('/operators/7/map', 'failed');
    counter.end('', 'failed');
    expect(counter.counts()).toEqual({ '/operators/0/emit': [0, 0, 0, 0, 0] });
  });
});

describe('the sum of counts', () => {
  it('has the operators that have counted an event', () => {
    const a = { one: [1, 1, 0, 0, 0], two: [2, 0, 2, 0, 0] };
    const b = { two: [1, 1, 0, 0, 0], three: [0, 0, 0, 0, 1], four: [0, 0, 0, 0, 0] };
    expect(sumStepCounts(a, b)).toEqual({
      one: [1, 1, 0, 0, 0],
      two: [3, 1, 2, 0, 0],
      three: [0, 0, 0, 0, 1],
    });
    expect(a).toEqual({ one: [1, 1, 0, 0, 0], two: [2, 0, 2, 0, 0] });
  });
});
