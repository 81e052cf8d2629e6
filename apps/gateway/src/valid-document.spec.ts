import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenGateway, type GivenGateway } from './gateway.fixture.js';

let gateway: GivenGateway;
beforeAll(async () => void (gateway = await givenGateway()));
afterAll(() => gateway.close());

async function documentOf(port: 'core' | 'query'): Promise<Record<string, unknown>> {
  const headers = { authorization: gateway.bearer['events:read'] };
  const answer = await gateway[port].instance.inject({ url: '/openapi.json', headers });
  return answer.json<Record<string, unknown>>();
}

describe.each(['core', 'query'] as const)('the OpenAPI document of the %s port', (port) => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(await documentOf(port))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has JSON Schemas of draft 2020-12 without unknown keywords', async () => {
    const { components } = (await documentOf(port)) as { components: { schemas: object } };
    const ajv = new Ajv2020({ strict: false, strictSchema: true });
    addFormats.default(ajv);
    ajv.addVocabulary(['example', 'components']);
    for (const name of Object.keys(components.schemas)) {
      const schema = { $id: name, components, $ref: `#/components/schemas/${name}` };
      expect(() => ajv.compile(schema), name).not.toThrow();
    }
  });

  it('has no query parameter that may be null', async () => {
    const { paths } = (await documentOf(port)) as { paths: object };
    const parameters = JSON.stringify(paths).matchAll(/"in":"query","schema":(\{.*?\})/g);
    const texts = [...parameters].map(([, schema]) => schema);
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((schema) => schema?.includes('"null"'))).toEqual([]);
  });
});

it('a key is documented with its own schema', async () => {
  const { components } = (await documentOf('query')) as { components: { securitySchemes: object } };
  expect(components.securitySchemes).toMatchObject({
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'trb_<key_id>_<secret>_<checksum>' },
  });
});
