import { describe, expect, it } from 'vitest';
import { DefinitionError } from '#dataflow';
import { compilePipeline, type PipelineSpec } from './compile-pipeline.js';
import { flowOf, pipelineOf } from './pipeline.fixture.js';
import { operators } from './operators/index.js';
import type { OperatorJson } from './operators/operator.js';

const emit: OperatorJson = { emit: { stream: 'out' } };
const reduce: OperatorJson = { reduce: { n: { op: 'count' } } };
const window = (members: Record<string, unknown> = {}) => ({
  window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s', ...members },
});
const source = { streams: ['orders'] };

/** Returns the errors of compiling a pipeline definition, each as `pointer: detail`. */
function errorsOf(spec: Record<string, unknown>): string[] {
  try {
    compilePipeline({ source, operators: [emit], from: 'beginning', ...spec } as unknown as PipelineSpec);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  }
  return [];
}

describe('a pipeline definition', () => {
  it('lists the streams that it writes, the projections that it reads, its webhooks and its stages', () => {
    const pipeline = pipelineOf(
      { enrich: { from: { projection: 'customers' }, key: 'event.data.customer', as: 'customer' } },
      { dedupe: { key: 'event.data.id', within: '1h' } },
      { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s', late: { stream: 'too_late' } } },
      reduce,
      { emit: { stream: 'per_minute' } },
      { webhook: { url: 'https://example.com/hook', secret_ref: 'SHOP' } },
    );
    expect([...pipeline.writes].sort()).toEqual(['per_minute', 'too_late']);
    expect([...pipeline.projections]).toEqual(['customers']);
    expect(pipeline.webhooks).toEqual([
      { at: '/operators/5/webhook', url: 'https://example.com/hook', secretRef: 'SHOP' },
    ]);
    expect(pipeline.stages.map(({ at }) => at)).toEqual(['/operators/1/dedupe', '/operators/2/window']);
    const [dedupe, perMinute] = pipeline.stages.map(({ id }) => id) as [string, string];
    expect([pipeline.upstreamOf(dedupe).stage, pipeline.upstreamOf(perMinute).stage]).toEqual([
      undefined,
      dedupe,
    ]);
    expect([pipeline.source.chain.looksUp, pipeline.stages[1]?.chain.looksUp]).toEqual([true, false]);
    expect(pipeline.idleAfterMs).toBe(30_000);
  });

  it('matches the events that its source filter selects', () => {
    const pipeline = compilePipeline({
      source: { streams: ['orders'], event_types: ['order.placed'], where: 'event.data.n > 1' },
      operators: [emit],
      from: 'now',
    });
    expect(pipeline.source.matches(flowOf('{"n":2}'))).toBe(true);
    expect(pipeline.source.matches(flowOf('{"n":1}'))).toBe(false);
    expect(pipeline.source.matches(flowOf('{}'))).toBe(false);
    expect(pipeline.source.matches(flowOf('{"n":2}', { event_type: 'order.paid' }))).toBe(false);
  });

  it('reports all errors at once, in the order of the definition', () => {
    const operators = [
      { filter: 'event.data.amount >' },
      { map: { data: { vat: 'evnt.data.x', deep: { er: '1 +' } }, entity_id: '[1]' } },
      { frobnicate: {} },
      window({ tumbling: '0s' }),
      { reduce: { n: { op: 'count', value: 'event.data.x' }, s: { op: 'sum', value: 'foo(' } } },
      { branch: [{ when: 'event.data.x', operators: [{ emit: { stream: '_x' } }] }] },
    ];
    expect(errorsOf({ operators }).map((text) => text.split(':')[0])).toEqual([
      '/operators/0/filter',
      '/operators/1/map/data/vat',
      '/operators/1/map/data/deep/er',
      '/operators/1/map/entity_id',
      '/operators/2/frobnicate',
      '/operators/3/window/tumbling',
      '/operators/4/reduce/n/value',
      '/operators/4/reduce/s/value',
      '/operators/5/branch/0/operators/0/emit/stream',
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'no output',
      { operators: [{ filter: 'true' }] },
      '/operators: must have an output: an emit or a webhook',
    ],
    ['no operators', { operators: [] }, '/operators: must have an output: an emit or a webhook'],
    ['operators that are not a list', { operators: {} }, '/operators: must be a list of 0 to 50 elements'],
    [
      'an unknown member',
      { nmae: 1 },
      '/nmae: is not a known field; known fields are source, operators, from',
    ],
    ['no source', { source: undefined }, '/source: is required'],
    ['no streams', { source: { streams: [] } }, '/source/streams: must be a list of 1 to 20 elements'],
    ['a stream twice', { source: { streams: ['a', 'a'] } }, '/source/streams/1: is a duplicate'],
    [
      'an idle_after of zero',
      { source: { ...source, idle_after: '0s' } },
      '/source/idle_after: must be a duration of 1s to 1d, such as 10s, 5m, 1h or 1d',
    ],
    [
      'a condition with an error',
      { source: { ...source, where: 'event.nope == 1' } },
      '/source/where: An event has no member nope',
    ],
    ['an unknown beginning', { from: 'yesterday' }, '/from: must be one of beginning, now'],
    [
      'two operators in one',
      { operators: [{ filter: 'true', emit: { stream: 'out' } }] },
      `/operators/0: must have exactly one member, one of ${Object.keys(operators).join(', ')}`,
    ],
    [
      'an operator name that is a member of Object.prototype',
      { operators: [{ constructor: {} }] },
      '/operators/0/constructor: is not a known operator',
    ],
    [
      'a window without reduce',
      { operators: [window(), emit] },
      '/operators/0/window: must be followed by a reduce',
    ],
    ['a reduce without window', { operators: [reduce, emit] }, '/operators/0/reduce: must follow a window'],
    [
      'a branch in the middle',
      { operators: [{ branch: [{ when: 'true', operators: [emit] }] }, emit] },
      '/operators/0/branch: must be the last operator of its list',
    ],
    [
      'an otherwise that is not last',
      {
        operators: [
          {
            branch: [
              { otherwise: true, operators: [emit] },
              { when: 'true', operators: [] },
            ],
          },
        ],
      },
      '/operators/0/branch/0/otherwise: must be the last branch',
    ],
    [
      'a branch with both when and otherwise',
      { operators: [{ branch: [{ when: 'true', otherwise: true, operators: [emit] }] }] },
      '/operators/0/branch/0: must have one of when and otherwise',
    ],
    [
      'a window of two kinds',
      { operators: [window({ session: '1m' }), reduce, emit] },
      '/operators/0/window: must have one of tumbling, hopping, session and calendar',
    ],
    [
      'a window without lateness',
      { operators: [window({ lateness: undefined }), reduce, emit] },
      '/operators/0/window/lateness: is required',
    ],
    [
      'too many windows for one event',
      { operators: [window({ tumbling: undefined, hopping: { size: '1d', every: '1s' } }), reduce, emit] },
      '/operators/0/window/hopping/every: is too short: an event is in at most 100 windows',
    ],
    [
      'windows with gaps between them',
      { operators: [window({ tumbling: undefined, hopping: { size: '1s', every: '2s' } }), reduce, emit] },
      '/operators/0/window/hopping/every: must not be longer than size',
    ],
    [
      'a field with the name of a built-in member',
      { operators: [window(), { reduce: { window_end: { op: 'count' } } }, emit] },
      '/operators/1/reduce/window_end: must have another name',
    ],
    [
      'an expression that can never have a wanted kind',
      { operators: [{ filter: 'event.data' }, emit] },
      '/operators/0/filter: This is an object, but a boolean is needed. (at character',
    ],
    [
      'a map with a number instead of an expression',
      { operators: [{ map: { data: { n: 1 } } }, emit] },
      '/operators/0/map/data/n: must be an expression in a string, such as "1", or an object of expressions',
    ],
    [
      'both a table and a projection',
      {
        operators: [
          { enrich: { from: { projection: 'p', table: {} }, key: 'event.entity_id', as: 'x' } },
          emit,
        ],
      },
      '/operators/0/enrich/from: must have one of projection and table',
    ],
    [
      'a password in an address',
      { operators: [{ webhook: { url: 'https://me:secret@example.com/', secret_ref: 'X' } }] },
      '/operators/0/webhook/url: must not contain a user name or a password',
    ],
    [
      'too many operators',
      { operators: Array<unknown>(51).fill(emit) },
      '/operators: must be a list of 0 to 50',
    ],
    [
      'too many outputs',
      { operators: Array<unknown>(21).fill(emit) },
      '/operators: has at most 20 emits and webhooks',
    ],
    [
      'too many operators, in branches',
      {
        operators: [
          {
            branch: [
              { when: 'true', operators: Array<unknown>(30).fill({ filter: 'true' }) },
              { otherwise: true, operators: [...Array<unknown>(20).fill({ filter: 'true' }), emit] },
            ],
          },
        ],
      },
      '/operators: has at most 50 operators, including those in branches',
    ],
    [
      'too many stages',
      { operators: [...Array<unknown>(11).fill({ dedupe: { key: 'event.entity_id', within: '1h' } }), emit] },
      '/operators: has at most 10 windows, dedupes, expects and joins',
    ],
  ])('is invalid with %s', (_what, spec, error) => {
    expect(errorsOf(spec)).toEqual([expect.stringContaining(error) as string]);
  });

  it('is invalid with branches five levels deep', () => {
    const nested = (depth: number): OperatorJson =>
      depth === 0 ? emit : { branch: [{ when: 'true', operators: [nested(depth - 1)] }] };
    expect(errorsOf({ operators: [nested(4)] })).toEqual([]);
    expect(errorsOf({ operators: [nested(5)] }).join()).toContain('is nested more than 4 levels deep');
  });
});

describe('an error in a definition', () => {
  const faultsOf = (spec: object) => {
    try {
      compilePipeline({ source, operators: [emit], from: 'beginning', ...spec } as unknown as PipelineSpec);
    } catch (error) {
      return (error as DefinitionError).errors;
    }
    return [];
  };

  it('is marked as an error in an expression, wherever the expression is', () => {
    const dedupe = (key: string) => ({ dedupe: { key, within: '1h' } });
    const operators = [
      { filter: '' },
      { map: { data: { 'a/b': { c: 'x' } }, event_type: '1', entity_id: 'x'.repeat(4097) } },
      { flat_map: { list: '1' } },
      { enrich: { from: { projection: 'p' }, key: '[]', as: 'y' } },
      window({ key: 'x' }),
      { reduce: { n: { op: 'sum', value: 'x' }, long: { op: 'sum', value: 'x'.repeat(4097) } } },
    ];
    const branches = { branch: [{ when: '1', operators: [dedupe('true')] }] };
    const inBranch = { branch: [{ when: 'true', operators: [dedupe('x')] }] };
    const wrong = [
      ...faultsOf({ operators }),
      ...faultsOf({ operators: [window(), { reduce: { n: { op: 'sum', value: 'x' } } }, branches] }),
      ...faultsOf({ operators: [inBranch] }),
      ...faultsOf({ source: { ...source, where: 'x' } }),
    ];
    expect(wrong.filter(({ inExpression }) => !inExpression)).toEqual([]);
    expect(wrong.map(({ pointer }) => pointer)).toEqual([
      '/operators/0/filter',
      '/operators/1/map/data/a~1b/c',
      '/operators/1/map/event_type',
      '/operators/1/map/entity_id',
      '/operators/2/flat_map/list',
      '/operators/3/enrich/key',
      '/operators/4/window/key',
      '/operators/5/reduce/long/value',
      '/operators/1/reduce/n/value',
      '/operators/2/branch/0/when',
      '/operators/0/branch/0/operators/0/dedupe/key',
      '/source/where',
    ]);
  });

  it.each<[object, string]>([
    [{ source: { ...source, idle_after: 'soon' } }, '/source/idle_after'],
    [{ operators: [7] }, '/operators/0'],
    [{ operators: [{ filter: 7 }] }, '/operators/0/filter'],
    [{ operators: [{ map: { data: 'x' } }] }, '/operators/0/map/data'],
    [{ operators: [{ flat_map: { list: '[1]', as: '' } }] }, '/operators/0/flat_map/as'],
    [{ operators: [window({ tumbling: '0s' }), reduce] }, '/operators/0/window/tumbling'],
    [
      { operators: [window(), { reduce: { n: { op: 'count', value: 'event.data.x' } } }] },
      '/operators/1/reduce/n/value',
    ],
    [{ operators: [window(), { reduce: { n: { op: 'sum' } } }] }, '/operators/1/reduce/n/value'],
    [{ operators: [{ emit: { stream: 'a b' } }] }, '/operators/0/emit/stream'],
  ])('is not an error in an expression for %j', (spec, pointer) => {
    expect(faultsOf(spec)).toEqual([{ pointer, detail: expect.any(String) as string }]);
  });
});

describe('a stage', () => {
  const stagesOf = (...operators: unknown[]) =>
    pipelineOf(...(operators as OperatorJson[])).stages.map(({ id }) => id);
  const [perMinute] = stagesOf(window(), reduce, emit);

  it('keeps its id when operators are added before or after it', () => {
    const operators = [{ filter: 'true' }, window(), reduce, { map: { data: { n: 'event.data.n' } } }, emit];
    expect(stagesOf(...operators)).toEqual([perMinute]);
    expect(stagesOf(window({ emit: 'updates', late: { stream: 'late' } }), reduce, emit)).toEqual([
      perMinute,
    ]);
  });

  it.each([
    ['key', [window({ key: 'event.event_type' }), reduce, emit]],
    ['size', [window({ tumbling: '2m' }), reduce, emit]],
    ['lateness', [window({ lateness: '1s' }), reduce, emit]],
    ['fields', [window(), { reduce: { m: { op: 'count' } } }, emit]],
    ['branch', [{ branch: [{ when: 'true', operators: [window(), reduce, emit] }] }]],
  ])('has another id with another %s', (_what, operators) => {
    expect(stagesOf(...operators)).not.toEqual([perMinute]);
  });

  it('has another id when another stage feeds it', () => {
    const dedupe = { dedupe: { key: 'event.entity_id', within: '1h' } };
    const ids = stagesOf(dedupe, dedupe, window(), reduce, emit);
    expect(new Set([...ids, perMinute]).size).toBe(4);
  });
});
