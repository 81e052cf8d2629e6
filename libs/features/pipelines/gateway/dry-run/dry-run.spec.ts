import { describe, expect, it } from 'vitest';
import { nowServing, savedState } from '../../../projections/gateway/states/serving.fixture.js';
import { PipelineGatewayFixture, minutes, path, spec } from '../pipeline-gateway.fixture.js';

const given = new PipelineGatewayFixture();
const url = `${path}/dry-run`;

interface Step {
  at: string;
  outcome: string;
  reason?: string;
  result?: { data: unknown };
}

interface Answer {
  events: { steps: Step[] }[];
  windows: { at: string; event: { timestamp: string; data: unknown } }[];
  emitted: { at: string; stream?: string; event: { data: unknown } }[];
  failed: { pointer: string; error: string }[];
}

const order = (data: object, more: object = {}) => ({
  ...{ stream: 'orders', event_type: 'order.placed', timestamp: '2026-11-21T04:00:30Z', data, ...more },
});

const dryRun = (definition: object, events: unknown[]) => given.send('POST', url, { definition, events });

async function result(definition: object, events: unknown[]): Promise<Answer> {
  const answer = await dryRun(definition, events);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Answer>();
}

describe('a dry run', () => {
  it('returns what each operator did to each event, and writes nothing', async () => {
    const before = given.gateway.definitions.streams().length;
    const operators = [...spec.operators, { emit: { stream: 'never-made' } }];
    const { events, emitted } = await result({ ...spec, operators }, [
      order({ amount: 50 }),
      order({ amount: 150.5 }),
    ]);
    expect(events.map(({ steps }) => steps.map(({ at, outcome }) => `${at} ${outcome}`))).toEqual([
      ['/operators/0/filter dropped'],
      ['/operators/0/filter passed', '/operators/1/emit emitted', '/operators/2/emit emitted'],
    ]);
    expect(events[0]?.steps[0]?.reason).toEqual(expect.any(String));
    expect(emitted.map(({ stream, event }) => [stream, event.data])).toEqual([
      ['large', { amount: 150.5 }],
      ['never-made', { amount: 150.5 }],
    ]);
    expect(given.gateway.definitions.streams()).toHaveLength(before);
  });

  it('closes every window at the end', async () => {
    const { windows, emitted } = await result({ ...spec, operators: minutes }, [
      order({ currency: 'EUR' }),
      order({ currency: 'EUR' }, { timestamp: '2026-11-21T04:00:59Z' }),
      order({ currency: 'USD' }),
    ]);
    expect(windows.map(({ event }) => event.data)).toMatchObject([
      { key: 'EUR', orders: 2 },
      { key: 'USD', orders: 1 },
    ]);
    expect(emitted).toHaveLength(2);
  });

  it('keeps the digits of numbers', async () => {
    const payload =
      `{"definition":${JSON.stringify({ ...spec, operators: [{ emit: { stream: 'x' } }] })},` +
      '"events":[{"stream":"orders","event_type":"a","data":{"amount":12345678901234567890.10}}]}';
    const headers = { 'content-type': 'application/json' };
    const answer = await given.gateway.core.instance.inject({ method: 'POST', url, headers, payload });
    expect(answer.body).toContain('"data":{"amount":12345678901234567890.10}');
  });

  it('looks up the current states of projections', async () => {
    const projection = { name: 'per_order', source: spec.source, fields: { n: { op: 'count' } } };
    await given.send('POST', '/api/v1/projections', projection);
    const enrich = { from: { projection: 'per_order' }, key: 'event.entity_id', as: 'known' };
    const operators = [{ enrich }, { emit: { stream: 'x' } }];
    const ask = async () => {
      const events = ['order-0', 'order-9'].map((entity_id) => order({ a: 1 }, { entity_id }));
      return (await result({ ...spec, operators }, events)).emitted.map(({ event }) => event.data);
    };
    expect(await ask()).toEqual([
      { a: 1, known: null },
      { a: 1, known: null },
    ]);
    await savedState(given.gateway, await nowServing(given.gateway, 'per_order'), {
      key: 'order-0',
      state: [3],
    });
    expect(await ask()).toEqual([
      { a: 1, known: { n: 3 } },
      { a: 1, known: null },
    ]);
  });

  it('limits the cost of all evaluations together, and lets other requests run', async () => {
    const items = Array.from({ length: 60 }, (_, i) => i);
    const nested = 'event.data.l.exists(a, event.data.l.exists(b, a + b < 0))';
    const filters = (count: number) => Array.from({ length: count }, () => ({ filter: `!${nested}` }));
    const emitted = { emit: { stream: 'x' } };
    const forty = Array.from({ length: 40 }, () => order({ l: items }));
    let turns = 0;
    const counted = setInterval(() => turns++, 0);
    const many = await dryRun({ ...spec, operators: [...filters(30), emitted] }, forty);
    const few = await result({ ...spec, operators: [...filters(1), emitted] }, forty);
    clearInterval(counted);
    expect(many.json()).toMatchObject({
      ...{ status: 422, code: 'query_too_expensive', errors: [{ pointer: '/events' }] },
      detail: expect.stringMatching(/more than 800000 steps.*fewer events/) as string,
    });
    expect(few.emitted).toHaveLength(40);
    expect(turns).toBeGreaterThan(2);
  });

  it('reports would-be dead letters, and continues', async () => {
    const operators = [{ map: { data: { half: 'event.data.amount / 2.0' } } }, { emit: { stream: 'x' } }];
    const { failed, emitted } = await result({ ...spec, operators }, [
      order({ amount: 'much' }),
      order({ amount: 4.0 }),
    ]);
    expect(failed).toMatchObject([{ pointer: '/operators/0/map/data/half' }]);
    expect(emitted).toHaveLength(1);
  });

  it.each<[string, object, [string, string[]]]>([
    ['no definition', { events: [order({})] }, ['invalid_request', ['/definition']]],
    ['no events', { definition: spec, events: [] }, ['invalid_request', ['/events']]],
    [
      'too many events',
      { definition: spec, events: Array.from({ length: 101 }, () => order({})) },
      ['invalid_request', ['/events']],
    ],
    ['more', { definition: spec, events: [order({})], more: 1 }, ['invalid_request', ['/more']]],
    [
      'what is no event',
      { definition: spec, events: [order({}), 7, order({}, { colour: 'red' })] },
      ['invalid_request', ['/events/1', '/events/2/colour']],
    ],
    [
      'a time that is none',
      { definition: spec, events: [order({}, { timestamp: 'noon' })] },
      ['invalid_request', ['/events/0/timestamp']],
    ],
    [
      'an event of another stream',
      { definition: spec, events: [order({}), order({}, { stream: 'refunds' })] },
      ['invalid_request', ['/events/1/stream']],
    ],
    [
      'a wrong expression',
      { definition: { ...spec, operators: [{ filter: 'event.' }, ...spec.operators] }, events: [order({})] },
      ['invalid_expression', ['/definition/operators/0/filter']],
    ],
    [
      'a stream that is not there',
      { definition: { ...spec, source: { streams: ['oders'] } }, events: [order({})] },
      ['stream_not_found', ['/definition/source/streams/0']],
    ],
    [
      'a target that is reserved',
      { definition: { ...spec, operators: [{ emit: { stream: 'tributary.x' } }] }, events: [order({})] },
      ['stream_reserved', ['/definition/operators/0/emit/stream']],
    ],
  ])('with %s is refused, and the problem names where', async (_, body, [code, pointers]) => {
    const answer = await given.send('POST', url, body);
    expect(answer.json(), answer.body).toMatchObject({ code });
    const { errors, detail } = answer.json<{ errors: { pointer: string }[]; detail: string }>();
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
    // Where the sentence of the problem names a pointer, it is the same.
    for (const place of detail.match(/\S*\/operators\S*/g) ?? []) expect(place).toMatch(/^\/definition\//);
  });

  it('with a lookup needs events:read, because it shows states of the projection', async () => {
    const projection = { name: 'states', source: spec.source, fields: { n: { op: 'count' } } };
    await given.send('POST', '/api/v1/projections', projection);
    const key = { key: 'state-key', state: [3] };
    await savedState(given.gateway, await nowServing(given.gateway, 'states'), key);
    const enrich = { from: { projection: 'states' }, key: '"state-key"', as: 'known' };
    const asking = { ...spec, operators: [{ enrich }, { emit: { stream: 'x' } }] };
    const answers = async (scopes: string[]) => {
      const issued = await given.send('POST', '/api/v1/keys', { name: 'k', scopes });
      const headers = { authorization: `Bearer ${issued.json<{ key: string }>().key}` };
      const send = (definition: object) =>
        given.gateway.query.instance.inject({
          ...{ method: 'POST', url, headers, payload: { definition, events: [order({ amount: 1 })] } },
        });
      return [await send(asking), await send(spec)];
    };
    const [refused, plain] = await answers(['definitions:write']);
    expect(refused?.json()).toMatchObject({ code: 'insufficient_scope' });
    expect(refused?.body).not.toContain('"n":3');
    expect(plain?.statusCode).toBe(200);
    const [shown] = await answers(['definitions:write', 'events:read']);
    expect(shown?.body).toContain('"known":{"n":3}');
  });

  it('neither calls a webhook nor writes an event: it returns what would be sent', async () => {
    const hook = 'https://hooks.example.com/orders';
    const operators = [{ webhook: { url: hook, secret_ref: 'shop' } }, { emit: { stream: 'large' } }];
    const written = () =>
      [...given.gateway.log.topics].map(([topic, { partitions }]) => [
        topic,
        partitions.map(({ records }) => records.length),
      ]);
    const before = written();
    const { emitted } = await result({ ...spec, operators }, [order({ amount: 150.5 })]);
    expect(emitted).toMatchObject([{ webhook: hook }, { stream: 'large' }]);
    expect(written()).toEqual(before);
  });

  it('needs definitions:write', async () => {
    const headers = { authorization: given.gateway.bearer['definitions:read'] };
    const payload = { definition: spec, events: [order({})] };
    const answer = await given.gateway.query.instance.inject({ method: 'POST', url, headers, payload });
    expect(answer.json()).toMatchObject({ code: 'insufficient_scope' });
  });
});
