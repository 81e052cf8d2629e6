import { describe, expect, it } from 'vitest';
import { encodeRecord } from '#event';
import { derivedId } from './derived-id.js';
import { eventFromRecord } from './flow/lazily-parsed-event.js';
import type { PipelineEvent, ProjectionLookup, OperatorOutcome } from './flow/pipeline.js';
import type { OperatorJson } from './operators/operator.js';
import { flowOf, logEvent, pipelineOf } from './pipeline.fixture.js';

const emit = (stream = 'out'): OperatorJson => ({ emit: { stream } });
const count: OperatorJson = { reduce: { n: { op: 'count' } } };
const perMinute: OperatorJson = {
  window: { tumbling: '1m', key: 'event.data.currency', lateness: '0s' },
};

/** Returns the kind and the JSON pointer of each outcome of an event that enters a pipeline at a certain operator. */
function goesOn(operators: readonly OperatorJson[], at: string, flow: PipelineEvent): string[] | undefined {
  const outcomes = pipelineOf(...operators)
    .entry(at)
    ?.run(flow, () => null);
  return outcomes?.map((outcome) => `${outcome.kind} ${outcome.at}`);
}

describe('an event that enters the pipeline at an operator', () => {
  it.each<{ operator: OperatorJson; data: string; expected: string[] }>([
    { operator: { filter: 'event.data.n > 1' }, data: '{"n":2}', expected: ['emit /operators/2/emit'] },
    { operator: { filter: 'event.data.n > 1' }, data: '{"n":"a"}', expected: ['fail /operators/1/filter'] },
    {
      operator: { map: { data: { m: 'event.data.n' } } },
      data: '{"n":2}',
      expected: ['emit /operators/2/emit'],
    },
    {
      operator: { flat_map: { list: 'event.data.n', as: 'm' } },
      data: '{"n":[1,2]}',
      expected: ['emit /operators/2/emit', 'emit /operators/2/emit'],
    },
    {
      operator: { enrich: { from: { table: {} }, key: 'event.data.n', as: 'm' } },
      data: '{"n":2}',
      expected: ['emit /operators/2/emit'],
    },
  ])(
    'such as $operator passes through it and the operators after it, not through those before',
    ({ operator, data, expected }) => {
      const [name] = Object.keys(operator);
      const operators = [emit('before'), operator, emit()];
      expect(goesOn(operators, `/operators/1/${name!}`, flowOf(data))).toEqual(expected);
    },
  );

  it('that is an output is written there only, because later operators have already had it', () => {
    const hook: OperatorJson = { webhook: { url: 'https://example.com/hook', secret_ref: 's' } };
    const operators = [emit('a'), hook, emit('b')];
    expect(goesOn(operators, '/operators/0/emit', flowOf())).toEqual(['emit /operators/0/emit']);
    expect(goesOn(operators, '/operators/1/webhook', flowOf())).toEqual(['webhook /operators/1/webhook']);
  });

  it('that is a branch is matched again; inside a branch, it continues in that branch only', () => {
    const map: OperatorJson = { map: { data: { n: 'event.data.n' } } };
    const inner: OperatorJson = { branch: [{ when: 'event.data.n > 5', operators: [emit('inner')] }] };
    const operators: OperatorJson[] = [
      { filter: 'event.data.n != 0' },
      {
        branch: [
          { when: 'event.data.n > 1', operators: [map, inner] },
          { otherwise: true, operators: [emit('rest')] },
        ],
      },
    ];
    const at = '/operators/1/branch';
    const within = `${at}/0/operators/1/branch`;
    expect(goesOn(operators, at, flowOf('{"n":1}'))).toEqual([`emit ${at}/1/operators/0/emit`]);
    expect(goesOn(operators, at, flowOf('{"n":9}'))).toEqual([`emit ${within}/0/operators/0/emit`]);
    expect(goesOn(operators, within, flowOf('{"n":9}'))).toEqual([`emit ${within}/0/operators/0/emit`]);
    expect(goesOn(operators, within, flowOf('{"n":1}'))).toEqual([`drop ${within}`]);
    expect(goesOn(operators, `${at}/0/operators/0/map`, flowOf('{}'))).toEqual([
      `fail ${at}/0/operators/0/map`,
    ]);
  });

  it.each<[string, OperatorJson[]]>([
    ['window', [perMinute, count, emit()]],
    ['dedupe', [{ dedupe: { key: 'event.data.currency', within: '1m' } }, emit()]],
  ])('that is a %s goes to its stage, by its current key', (name, operators) => {
    const pipeline = pipelineOf(...operators);
    const [stage] = pipeline.stages;
    const entry = pipeline.entry(`/operators/0/${name}`)!;
    const run = (data: string) => entry.run(flowOf(data), () => null);
    expect(run('{"currency":"EUR"}')).toMatchObject([{ kind: 'forward', stage: stage!.id, key: 'EUR' }]);
    expect(run('{}')).toMatchObject([{ kind: 'fail', pointer: `/operators/0/${name}/key` }]);
    expect(run('{"currency":null}')).toMatchObject([{ kind: 'drop' }]);
  });

  it('after a window continues in the stage of that operator', () => {
    const operators = [perMinute, count, { filter: 'event.data.n > 1' }, emit('a'), emit('b')];
    expect(goesOn(operators, '/operators/2/filter', flowOf('{"n":2}'))).toEqual([
      'emit /operators/3/emit',
      'emit /operators/4/emit',
    ]);
  });

  it('that is an enrich from a projection needs its lookup first', () => {
    const from = { projection: 'customers' };
    const pipeline = pipelineOf({ enrich: { from, key: 'event.data.n', as: 'm' } }, emit());
    const chain = pipeline.entry('/operators/0/enrich')!;
    expect(chain.looksUp).toBe(true);
    const lookup: ProjectionLookup = { projection: 'customers', key: '2' };
    expect(chain.lookups(flowOf('{"n":2}'), () => undefined)).toEqual([lookup]);
    const [outcome] = chain.run(flowOf('{"n":2}'), () => '{"name":"Ann"}') as [OperatorOutcome];
    expect(outcome.flow.event.data).toBe('{"n":2,"m":{"name":"Ann"}}');
  });

  it('keeps its provenance, so that the events derived from it have the same ids', () => {
    const operators: OperatorJson[] = [
      { flat_map: { list: 'event.data.items', as: 'item' } },
      { map: { data: { n: 'event.data.item + 0' } } },
      emit(),
    ];
    const [, undisturbed] = pipelineOf(...operators).source.chain.run(flowOf('{"items":[1,2]}'), () => null);
    const [, failed] = pipelineOf(...operators).source.chain.run(flowOf('{"items":[1,"a"]}'), () => null);
    const { event, origin } = failed!.flow;
    const again = eventFromRecord(encodeRecord(event), { ...origin, replay: 7 });
    const repaired: OperatorJson = { map: { data: { n: 'string(event.data.item)' } } };
    const [emitted] = pipelineOf(operators[0]!, repaired, emit())
      .entry('/operators/1/map')!
      .run(again, () => null);
    expect(emitted).toMatchObject({ kind: 'emit', flow: { event: { data: '{"n":"a"}' } } });
    expect(emitted!.flow.origin).toEqual({ ...undisturbed!.flow.origin, replay: 7 });
    const ids = [emitted!, undisturbed!].map(({ flow, at }) => derivedId('run', flow.origin, at));
    expect(ids[0]).toBe(ids[1]);
  });

  it('that does not exist has no chain', () => {
    const pipeline = pipelineOf(perMinute, count, emit());
    for (const at of ['', '/operators/1/reduce', '/operators/2/map', '/operators/3/emit'])
      expect(pipeline.entry(at)).toBeUndefined();
  });
});

describe('an event that is read from a record', () => {
  it('is unchanged, with the original text of numbers', () => {
    const flow = flowOf('{"n":1.50,"s":"\\u00e9"}', { entity_id: null, schema_version: null });
    expect(eventFromRecord(encodeRecord(flow.event), flow.origin)).toMatchObject({
      event: flow.event,
      origin: flow.origin,
    });
  });

  it('may be a window result, which has no id and no stream', () => {
    const event = logEvent('{"n":1}', { event_id: '', stream: '', schema_version: null });
    const origin = { stream: 'orders', partition: 0, offset: 0, path: 'stage:0:EUR' };
    expect(eventFromRecord(encodeRecord(event), origin)).toMatchObject({ event, origin });
  });
});
