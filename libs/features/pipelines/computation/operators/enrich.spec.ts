import { describe, expect, it } from 'vitest';
import type { ProjectionLookup } from '../flow/pipeline.js';
import { flowOf, outcomesOf, pipelineOf } from '../pipeline.fixture.js';
import type { OperatorJson } from './operator.js';

const out: OperatorJson = { emit: { stream: 'out' } };
const customers = {
  from: { projection: 'customers' },
  key: 'event.data.customer',
  as: 'customer_state',
};

describe('enrich', () => {
  it('adds the value of a table to the data, and keeps the text of the data', () => {
    const enrich = { from: { table: { DE: { vat: 0.19 }, FR: [1] } }, key: 'event.data.country', as: 'rate' };
    const dataOf = (data: string) => outcomesOf([{ enrich }, out], data)[0]?.flow.event.data;
    expect(dataOf('{"country":"DE", "n": 1.0}')).toBe('{"country":"DE", "n": 1.0,"rate":{"vat":0.19}}');
    expect(dataOf('{"country":"XX"}')).toBe('{"country":"XX","rate":null}');
    expect(dataOf('{"country":null}')).toBe('{"country":null,"rate":null}');
    expect(dataOf('{"country":"constructor"}')).toBe('{"country":"constructor","rate":null}');
  });

  it('adds the state of a projection with its text unchanged', () => {
    const tables = ({ projection, key }: ProjectionLookup) =>
      key === 'c1' ? `{"of":"${projection}","n":1.00}` : null;
    const dataOf = (data: string) =>
      outcomesOf([{ enrich: customers }, out], data, tables)[0]?.flow.event.data;
    expect(dataOf('{"customer":"c1"}')).toBe(
      '{"customer":"c1","customer_state":{"of":"customers","n":1.00}}',
    );
    expect(dataOf('{"customer":"c2"}')).toBe('{"customer":"c2","customer_state":null}');
  });

  it('returns the lookups that it needs, the one that depends on another after it', () => {
    const {
      source: { chain },
    } = pipelineOf(
      { enrich: customers },
      { enrich: { from: { projection: 'cities' }, key: 'event.data.customer_state.city', as: 'city' } },
      out,
    );
    const flow = flowOf('{"customer":"c1"}');
    const known = new Map<string, string>();
    const ask = ({ projection, key }: ProjectionLookup) => known.get(`${projection}/${key}`);
    expect(chain.looksUp).toBe(true);
    expect(chain.lookups(flow, ask)).toEqual([{ projection: 'customers', key: 'c1' }]);
    known.set('customers/c1', '{"city":"Ulm"}');
    expect(chain.lookups(flow, ask)).toEqual([{ projection: 'cities', key: 'Ulm' }]);
    known.set('cities/Ulm', '{"zip":89073}');
    expect(chain.lookups(flow, ask)).toEqual([]);
    const [emitted] = chain.run(flow, (lookup) => ask(lookup) ?? null);
    expect(emitted?.flow.event.data).toBe(
      '{"customer":"c1","customer_state":{"city":"Ulm"},"city":{"zip":89073}}',
    );
  });

  it('needs no lookup for an event that does not reach it', () => {
    const {
      source: { chain },
    } = pipelineOf({ filter: 'event.data.n > 1' }, { enrich: customers }, out);
    expect(chain.lookups(flowOf('{"n":0}'), () => undefined)).toEqual([]);
  });

  it('fails an event whose key is invalid', () => {
    expect(outcomesOf([{ enrich: customers }, out], '{"customer":{}}')).toMatchObject([
      {
        kind: 'fail',
        pointer: '/operators/0/enrich/key',
        detail: expect.stringContaining('but this is an object') as string,
      },
    ]);
  });
});
