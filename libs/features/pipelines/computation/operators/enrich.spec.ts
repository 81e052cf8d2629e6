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

  describe('as of a time', () => {
    const asOf = { ...customers, as_of: 'event.timestamp' };
    const flow = flowOf('{"customer":"c1"}');
    const { timestamp: time, ingested_at: known } = flow.event;

    it('asks for the state of that time, of the events that were ingested before the event was', () => {
      const { chain } = pipelineOf({ enrich: asOf }, out).source;
      const lookup = { projection: 'customers', key: 'c1', asOf: { time, known } };
      expect(chain.lookups(flow, () => undefined)).toEqual([lookup]);
      const earlier = pipelineOf({ enrich: { ...asOf, as_of: 'event.timestamp - duration("1h")' } }, out);
      expect(earlier.source.chain.lookups(flow, () => undefined)).toEqual([
        { ...lookup, asOf: { time: time - 3_600_000_000, known } },
      ]);
      expect(chain.lookups(flowOf('{"customer":null}'), () => undefined)).toEqual([]);
    });

    it('fails an event for which there is no history, with the reason', () => {
      const none = { detail: 'The history begins later.' };
      expect(outcomesOf([{ enrich: asOf }, out], '{"customer":"c1"}', () => none)).toMatchObject([
        { kind: 'fail', pointer: '/operators/0/enrich/as_of', detail: none.detail },
      ]);
    });

    it.each([
      [[{ enrich: { ...asOf, as_of: 'event.data.n' } }], /a timestamp is needed/],
      [[{ enrich: { ...asOf, as_of: 'event.data.' } }], /expected/i],
    ])('needs an expression with a time: %j', (operators, detail) => {
      const compile = () => outcomesOf([...operators, out], '{"customer":"c1","n":"x"}');
      try {
        expect(compile()).toMatchObject([{ kind: 'fail', detail: expect.stringMatching(detail) as string }]);
      } catch (error) {
        expect(error).toMatchObject({ errors: [{ pointer: '/operators/0/enrich/as_of' }] });
      }
    });

    it.each([
      [[{ enrich: { ...asOf, from: { table: { a: 1 } } } }], 'needs `from` with a projection'],
      [
        [{ dedupe: { key: 'event.event_id', within: '1h' } }, { enrich: asOf }],
        'before the first operator with state',
      ],
    ])('is refused where it has no meaning: %j', (operators, detail) => {
      expect(() => pipelineOf(...operators, out)).toThrow(detail);
    });
  });
});
