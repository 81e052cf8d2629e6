import { expect, it } from 'vitest';
import { compilePipeline, sourceFlow, type Chain, type OperatorSpec } from '#dataflow';
import { recordOf } from './pipelines.fixture.js';
import { runChain } from './run-chain.js';

const operators: OperatorSpec[] = [
  { enrich: { from: { projection: 'customers' }, key: 'event.entity_id', as: 'customer' } },
  { emit: { stream: 'out' } },
];
const { chain } = compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' });
const inputs = ['a', 'b', 'c'].map((entity, offset) => {
  const record = recordOf({ id: offset, entity });
  return { flow: sourceFlow({ ...record, stream: 'orders', partition: 0, offset }) };
});

it('looks up at once what all events need, and runs each when it is asked for', async () => {
  let ran = 0;
  const counting: Chain = {
    ...chain,
    run: (flow, tables) => {
      ran++;
      return chain.run(flow, tables);
    },
  };
  const asked: string[][] = [];
  const outcomes = await runChain(counting, inputs, (lookups, found) => {
    const keys = [...lookups].map(({ key }) => key);
    asked.push(keys);
    for (const key of keys) found.set(`customers ${key}`, `{"known":"${key}"}`);
    return Promise.resolve();
  });

  const made = outcomes[Symbol.iterator]();
  expect(made.next().value).toMatchObject({
    input: inputs[0],
    outcomes: [{ kind: 'emit', flow: { event: { data: '{"customer":{"known":"a"}}' } } }],
  });
  expect(ran).toBe(1);
  expect(asked).toEqual([['a', 'b', 'c']]);
  expect([...{ [Symbol.iterator]: () => made }]).toHaveLength(2);
  expect(ran).toBe(3);
});
