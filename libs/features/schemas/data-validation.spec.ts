import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import type { DataValidationAnswer } from './schema-answers.js';

const schema = {
  type: 'object',
  properties: { amount: { type: 'integer', minimum: 0, maximum: 9007199254740992 } },
  required: ['amount'],
};
const next = { ...schema, properties: { amount: { type: 'integer' } } };
const url = '/api/v1/schemas/orders/order.placed/validate';

let gateway: GivenGateway;
beforeAll(async () => {
  gateway = await givenGateway();
  for (const one of [schema, next])
    await post('/api/v1/schemas', {
      ...{ stream: 'orders', event_type: 'order.placed', schema: one },
      ...{ mode: 'warn', compatibility: 'none' },
    });
});
afterAll(() => gateway.close());

function post(url: string, payload: object | string) {
  const headers = { 'content-type': 'application/json' };
  return gateway.core.instance.inject({ method: 'POST', url, headers, payload });
}

async function validated(payload: object | string, query = ''): Promise<DataValidationAnswer> {
  const answer = await post(url + query, payload);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<DataValidationAnswer>();
}

describe('a check of data', () => {
  it('has the code and the pointers of a rejected write', async () => {
    expect(await validated({ amount: -1 }, '?version=1')).toEqual({
      ...{ valid: false, version: 1, code: 'schema_violation' },
      errors: [{ pointer: '/data/amount', detail: 'must be 0 or more' }],
    });
  });

  it('uses the latest version by default', async () => {
    expect(await validated({ amount: -1 })).toEqual({ valid: true, version: 2, code: null, errors: [] });
  });

  it('reads numbers as they were sent', async () => {
    const valid = async (n: string) => (await validated(`{"amount":${n}}`, '?version=1')).valid;
    expect([await valid('9007199254740992'), await valid('9007199254740993')]).toEqual([true, false]);
  });

  it('writes nothing, and creates no stream', async () => {
    await validated({ amount: 1 });
    expect(gateway.definitions.stream('orders')).toBeUndefined();
  });

  it.each([
    ['a list', '[]', 'invalid_request'],
    ['a repeated member', '{"amount":1,"amount":2}', 'invalid_request'],
    ['no data', '', 'invalid_json'],
    ['an incomplete object', '{"amount":1', 'invalid_json'],
    ['further members of an event', '{"amount":1},"entity_id":"e"', 'invalid_json'],
    ['two objects', '{} {}', 'invalid_json'],
  ])('refuses %s', async (_, payload, code) => {
    expect((await post(url, payload)).json()).toMatchObject({ status: 400, code });
  });

  it.each([
    [`${url}?version=3`, 'schema_not_found'],
    [`${url}?version=0`, 'invalid_request'],
    [`${url}?vers=1`, 'invalid_request'],
    ['/api/v1/schemas/orders/order.lost/validate', 'schema_not_found'],
  ])('refuses %s with %s', async (url, code) => {
    expect((await post(url, {})).json()).toMatchObject({ code });
  });

  it('says that a check would take too many steps', async () => {
    const contains = Array.from({ length: 300 }, () => ({ contains: { type: 'string' }, minContains: 0 }));
    const expensive = { properties: { list: { allOf: contains } } };
    await post('/api/v1/schemas', { stream: 'orders', event_type: 'costly', schema: expensive });
    const answer = await post('/api/v1/schemas/orders/costly/validate', {
      list: Array.from({ length: 5_000 }, () => 1),
    });
    expect(answer.json()).toMatchObject({ valid: false, code: 'schema_too_expensive' });
  });
});
