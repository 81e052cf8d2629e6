import { describe, expect, it } from 'vitest';
import { freshStream, queryEvents, waitFor, writeEvent } from './api.js';
import { useStack } from './use-stack.js';

const system = useStack({ processors: 1 });
const read = async (base: string, route: string) => {
  const answer = await fetch(new URL(route, base));
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};

describe('health', () => {
  it('of every app is ready, live and ok', async () => {
    for (const app of system().apps) {
      for (const route of ['/health', '/health/live', '/health/ready']) {
        const { status, text } = await read(app.probeUrl, route);
        expect(status, `${app.name} ${route}: ${text}`).toBe(200);
      }
    }
  });

  it('of the gateway reports its dependencies and the lag of the materializer', async () => {
    const written = await writeEvent(system().core, { stream: freshStream(), event_type: 't', data: {} });
    await queryEvents(system().core, { limit: '1' }, waitFor([written]));
    for (const client of [system().core, system().query]) {
      const answer = await client.get('/health');
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json()).toMatchObject({
        version: expect.any(String) as string,
        uptime_seconds: expect.any(Number) as number,
        checks: {
          log: expect.any(Object) as object,
          store: expect.any(Object) as object,
          materializer: {
            lag_events: expect.any(Number) as number,
            lag_seconds: expect.any(Number) as number,
          },
          processor: { status: 'ok', lag_events: 0, lag_seconds: 0 },
        },
      });
    }
  });
});

describe('metrics', () => {
  it('of every app are in the Prometheus text format', async () => {
    for (const app of system().apps) {
      const { status, type, text } = await read(app.probeUrl, '/metrics');
      expect(status).toBe(200);
      expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
      for (const line of text.split('\n').filter(Boolean))
        expect(line).toMatch(/^(#|[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? \S+)/);
      expect(text).toMatch(/^nodejs_eventloop_lag|^# TYPE .*event_?loop/m);
    }
  });

  it('do not grow with the input of clients', async () => {
    const series = async () =>
      (await read(system().core.baseUrl, '/metrics')).text.split('\n').length +
      (await read(system().urls.ingest, '/metrics')).text.split('\n').length;
    const send = async (n: number) => {
      await system().core.get(`/api/v1/unknown/${n}`);
      await system().core.get(
        `/api/v1/events/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c${String(n).padStart(2, '0')}`,
      );
      await system().write.post('/api/v1/events', { stream: 'x', event_type: `type ${n}`, data: 1 });
    };
    await send(0);
    const before = await series();
    for (let n = 1; n < 50; n++) await send(n);
    expect((await series()) - before).toBeLessThan(40);
  });
});

describe('the description of the API', () => {
  it('is OpenAPI, contains every route, and is shown at /docs', async () => {
    for (const client of [system().core, system().query]) {
      const answer = await client.get('/openapi.json');
      const { openapi, paths } = answer.json<{ openapi: string; paths: Record<string, object> }>();
      expect(openapi).toMatch(/^3\./);
      for (const route of [
        '/api/v1/events',
        '/api/v1/events/batch',
        '/api/v1/events/query',
        '/api/v1/events/count',
        '/api/v1/events/{event_id}',
        '/api/v1/streams',
        '/api/v1/entities',
        '/api/v1/dead-letters',
      ])
        expect(Object.keys(paths)).toContain(route);
      const docs = await client.get('/docs');
      expect(docs.status).toBeOneOf([200, 301, 302]);
    }
  });
});
