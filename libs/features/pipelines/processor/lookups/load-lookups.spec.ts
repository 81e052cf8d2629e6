import { describe, expect, it } from 'vitest';
import { TimeSlice } from '#async';
import { compilePipeline, sourceEvent, type OperatorJson } from '#features/pipelines/computation';
import { loadLookups } from './load-lookups.js';
import { recordOf } from '../pipelines.fixture.js';

const enrich: OperatorJson = {
  enrich: { from: { projection: 'customers' }, key: 'event.entity_id', as: 'customer' },
};
const chainOf = (...operators: OperatorJson[]) =>
  compilePipeline({
    ...{ source: { streams: ['orders'] }, from: 'beginning' },
    operators: [...operators, { emit: { stream: 'out' } }],
  }).source.chain;
const inputs = ['a', 'b', 'c'].map((entity, offset) => {
  const record = recordOf({ id: offset, entity });
  return { flow: sourceEvent({ ...record, stream: 'orders', partition: 0, offset }) };
});

describe('lookUp', () => {
  it('loads the states for all events together', async () => {
    const asked: string[][] = [];
    const chain = chainOf(enrich);
    const ready = await loadLookups(chain, [...inputs, undefined], {
      turn: new TimeSlice(),
      load: (lookups, found) => {
        const keys = [...lookups].map(({ key }) => key);
        asked.push(keys);
        for (const key of keys) found.set(`customers ${key}`, `{"known":"${key}"}`);
        return Promise.resolve();
      },
    });
    expect(asked).toEqual([['a', 'b', 'c']]);
    expect([...ready.inputs]).toEqual(inputs);
    expect(chain.run(inputs[0]!.flow, ready.tables)).toMatchObject([
      { kind: 'emit', flow: { event: { data: '{"customer":{"known":"a"}}' } } },
    ]);
  });

  it('keeps the inputs lazy if the chain looks up nothing', async () => {
    let made = 0;
    const making = function* () {
      for (const input of inputs) {
        made++;
        yield input;
      }
    };
    const parts = { turn: new TimeSlice(), load: () => Promise.reject(new Error('asked')) };
    const ready = await loadLookups(chainOf(), making(), parts);
    expect(made).toBe(0);
    expect([...ready.inputs]).toEqual(inputs);
  });
});
