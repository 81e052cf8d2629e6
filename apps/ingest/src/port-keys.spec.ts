import { afterEach, describe, expect, it } from 'vitest';
import { ConfigError, describeConfig, loadConfig } from '#contracts';
import { generateKey } from '#http';
import { IngestConfig } from './config.js';
import { event, givenIngest, type GivenIngest } from './ingest.fixture.js';

const writer = generateKey();
const reader = generateKey();
const keys = [
  `${writer.keyId}:${writer.sha256}:events:write`,
  `${reader.keyId}:${reader.sha256}:events:read+definitions:write`,
];
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

let given: GivenIngest;
afterEach(() => given.close());

describe('the write port with keys', () => {
  it('takes events from those that may write them, and from nobody else', async () => {
    given = await givenIngest({ config: { INGEST_API_KEYS: keys } });
    const answers = [
      await given.single(event(), bearer(writer.key)),
      await given.batch({ events: [event()] }, bearer(writer.key)),
      await given.single(event()),
      await given.batch({ events: [event()] }, bearer(`${writer.key}x`)),
      await given.single(event(), bearer(reader.key)),
      await given.post('/api/v1/streams', { stream: 'x' }, bearer(writer.key)),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 401, 401, 403, 403]);
    expect(given.written()).toHaveLength(2);
    expect((await given.app.instance.inject('/health/live')).statusCode).toBe(200);
    expect((await given.app.instance.inject('/metrics')).statusCode).toBe(401);
  });

  it('is open without any', async () => {
    given = await givenIngest();
    expect((await given.single(event())).statusCode).toBe(201);
  });

  it('reads them as the gateway does, and does not print them', async () => {
    given = await givenIngest();
    const config = loadConfig(IngestConfig, { INGEST_API_KEYS: keys.join(',') });
    expect(config.INGEST_API_KEYS).toEqual(keys);
    expect(JSON.stringify(describeConfig(config))).not.toContain(writer.sha256);
    expect(() => loadConfig(IngestConfig, { INGEST_API_KEYS: 'x' })).toThrow(ConfigError);
  });
});
