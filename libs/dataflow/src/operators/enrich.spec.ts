import { describe, expect, it } from 'vitest';
import type { Lookup } from '../flow/flow.js';
import { flowOf, outcomesOf, pipelineOf } from '../pipelines/pipeline.fixture.js';
import type { OperatorSpec } from './operator.js';

const out: OperatorSpec = { emit: { stream: 'out' } };
const customers = {
  from: { projection: 'customers' },
  key: 'event.data.customer',
  as: 'customer_state',
};

describe('enrich', () => {
  it('puts what a table knows into the data, which stays as it was sent', () => {
    const enrich = { from: { table: { DE: { vat: 0.19 }, FR: [1] } }, key: 'event.data.country', as: 'rate' };
    const dataOf = (data: string) => outcomesOf([{ enrich }, out], data)[0]?.flow.event.data;
    expect(dataOf('{"country":"DE", "n": 1.0}')).toBe('{"country":"DE", "n": 1.0,"rate":{"vat":0.19}}');
    expect(dataOf('{"country":"XX"}')).toBe('{"country":"XX","rate":null}');
    expect(dataOf('{"country":null}')).toBe('{"country":null,"rate":null}');
    expect(dataOf('{"country":"constructor"}')).toBe('{"country":"constructor","rate":null}');
  });

  it('asks a projection, and takes its text as it is', () => {
    const tables = ({ projection, key }: Lookup) => (key === 'c1' ? `{"of":"${projection}","n":1.00}` : null);
    const dataOf = (data: string) =>
      outcomesOf([{ enrich: customers }, out], data, tables)[0]?.flow.event.data;
    expect(dataOf('{"customer":"c1"}')).toBe(
      '{"customer":"c1","customer_state":{"of":"customers","n":1.00}}',
    );
    expect(dataOf('{"customer":"c2"}')).toBe('{"customer":"c2","customer_state":null}');
  });

  it('names what has to be known before it can run, one after the other', () => {
    const { chain } = pipelineOf(
      { enrich: customers },
      { enrich: { from: { projection: 'cities' }, key: 'event.data.customer_state.city', as: 'city' } },
      out,
    );
    const flow = flowOf('{"customer":"c1"}');
    const known = new Map<string, string>();
    const ask = ({ projection, key }: Lookup) => known.get(`${projection}/${key}`);
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

  it('asks for nothing where an event does not come to it', () => {
    const { chain } = pipelineOf({ filter: 'event.data.n > 1' }, { enrich: customers }, out);
    expect(chain.lookups(flowOf('{"n":0}'), () => undefined)).toEqual([]);
  });

  it('fails what can have no key', () => {
    expect(outcomesOf([{ enrich: customers }, out], '{"customer":{}}')).toMatchObject([
      {
        kind: 'fail',
        pointer: '/operators/0/enrich/key',
        detail: expect.stringContaining('but this is an object') as string,
      },
    ]);
  });
});
