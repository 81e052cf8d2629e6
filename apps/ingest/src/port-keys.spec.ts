import { afterEach, describe, expect, it } from 'vitest';
import { ConfigError, describeConfig, loadConfig, type ProblemDocument } from '#api';
import type { ApiKeyDefinition } from '#registry';
import { generateKey } from '#http';
import { IngestConfig } from './ingest-config.js';
import { event, startTestIngest, type TestIngest } from '../../../libs/core/writing/writing.fixture.js';

const writer = generateKey();
const reader = generateKey();
const issued = generateKey();
const keys = [
  `${writer.keyId}:${writer.sha256}:events:write`,
  `${reader.keyId}:${reader.sha256}:events:read+definitions:write`,
];
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const system = { key_id: null, port: 'system', request_id: null };

let given: TestIngest;
afterEach(() => given.close());

/** Opens the write port with these keys required, and with an issued key. */
async function givenKeys(definition: Partial<ApiKeyDefinition> = {}): Promise<void> {
  given = await startTestIngest({ config: { INGEST_REQUIRE_KEYS: true, API_KEYS: keys } });
  const key: ApiKeyDefinition = {
    key_id: issued.keyId,
    name: 'issued',
    secrets: [{ sha256: issued.sha256 }],
    scopes: ['events:write'],
    created_at: '2026-11-21T04:00:00.000000Z',
    ...definition,
  };
  await given.definitions.keys.change(issued.keyId, () => key, system);
}

describe('the write port with keys', () => {
  it('accepts events only from keys that may write', async () => {
    await givenKeys();
    const answers = [
      await given.single(event(), bearer(writer.key)),
      await given.batch({ events: [event()] }, bearer(issued.key)),
      await given.single(event()),
      await given.batch({ events: [event()] }, bearer(`${writer.key}x`)),
      await given.single(event(), bearer(reader.key)),
      await given.post('/api/v1/streams', { stream: 'x' }, bearer(writer.key)),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 401, 401, 403, 403]);
    expect(given.written()).toHaveLength(2);
    expect((await given.app.instance.inject('/health/live')).statusCode).toBe(200);
    expect((await given.app.instance.inject('/health/ready')).statusCode).toBe(200);
    expect((await given.app.instance.inject('/metrics')).statusCode).toBe(401);
  });

  it('rejects a revoked key immediately', async () => {
    await givenKeys();
    expect((await given.single(event(), bearer(issued.key))).statusCode).toBe(201);
    const revoked_at = '2026-11-21T05:00:00.000000Z';
    await given.definitions.keys.change(issued.keyId, (key) => key && { ...key, revoked_at }, system);
    expect((await given.single(event(), bearer(issued.key))).statusCode).toBe(401);
  });

  it('counts the events of a batch against the rate limit of the key', async () => {
    await givenKeys({ rate_limit: { events_per_second: 10 } });
    const write = (body: object, query = '') =>
      given.post(`/api/v1/events/batch${query}`, body, bearer(issued.key));
    const [good, bad] = [event(), event({ data: 1 })];
    const first = await write({ events: [good, good, good, bad, bad, bad, bad] });
    expect(first.statusCode).toBe(207);
    expect(first.headers.ratelimit).toContain('"events";r=7');
    // Nothing is written, so nothing counts.
    const none = await write({ events: [good, good, good, bad] }, '?atomic=true');
    expect(none.headers.ratelimit).toMatch(/"events";r=([7-9]|10);/);
    expect((await write({ events: new Array(300).fill(good) })).statusCode).toBe(201);
    const refused = await given.single(event({ stream: 'new' }), bearer(issued.key));
    expect(refused.json<ProblemDocument>()).toMatchObject({ code: 'too_many_requests', status: 429 });
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect(given.definitions.stream('new')).toBeUndefined();
    expect(given.written()).toHaveLength(303);
  });

  it('is open if keys are not required, even if some are configured', async () => {
    given = await startTestIngest({ config: { API_KEYS: keys } });
    expect((await given.single(event())).statusCode).toBe(201);
  });

  it('parses configured keys like the gateway, and does not print them', async () => {
    given = await startTestIngest();
    const config = loadConfig(IngestConfig, { API_KEYS: keys.join(','), INGEST_REQUIRE_KEYS: 'true' });
    expect(config).toMatchObject({ API_KEYS: keys, INGEST_REQUIRE_KEYS: true });
    expect(JSON.stringify(describeConfig(config))).not.toContain(writer.sha256);
    expect(() => loadConfig(IngestConfig, { API_KEYS: 'x' })).toThrow(ConfigError);
    expect(() => loadConfig(IngestConfig, { INGEST_REQUIRE_KEYS: 'yes' })).toThrow(ConfigError);
  });
});
