import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';

describe('a schema with member names that are special in JavaScript', () => {
  let gateway: GivenGateway;

  beforeAll(async () => {
    gateway = await givenGateway();
  });
  afterAll(() => gateway.close());

  it('is registered and returned as it was sent', async () => {
    const members = ['__proto__', 'constructor', 'toString'].map((name) => `"${name}":{"type":"integer"}`);
    const schema = `{"type":"object","properties":{${members.join(',')}},"required":["__proto__"]}`;
    const registered = await gateway.core.instance.inject({
      ...{ method: 'POST', url: '/api/v1/schemas', headers: { 'content-type': 'application/json' } },
      payload: `{"stream":"orders","event_type":"order.placed","schema":${schema}}`,
    });
    expect(registered.statusCode, registered.body).toBe(201);
    const shown = await gateway.core.instance.inject({ url: '/api/v1/schemas/orders/order.placed' });
    for (const { body } of [registered, shown]) expect(body).toContain(schema);
  });
});
