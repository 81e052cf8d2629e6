import { describe, expect, it } from 'vitest';
import { Health } from './health.js';
import { startTestApp } from '../http.fixture.js';

describe('health', () => {
  it('depends on the checks of each kind', async () => {
    const health = new Health();
    health.register('fine', async () => ({ lag: 3 }));
    health.register('only shown', () => Promise.reject(new Error('down')), { readiness: false });
    expect((await health.report('readiness')).healthy).toBe(true);
    expect((await health.report('liveness')).healthy).toBe(true);
    expect(await health.report('all')).toEqual({
      healthy: false,
      checks: { fine: { status: 'ok', lag: 3 }, 'only shown': { status: 'failing', error: 'down' } },
    });
  });

  it('is healthy, ready and live while a check is degraded, which only /health shows', async () => {
    const { app, context } = await startTestApp();
    const degraded = { status: 'degraded', failed_pipelines: 1 };
    context.health.register('definitions', async () => degraded, { liveness: true });
    const answer = async (path: string) => {
      const { statusCode, json } = await app.instance.inject(path);
      return [statusCode, json<{ status: string }>().status];
    };
    expect(await answer('/health')).toEqual([200, 'degraded']);
    expect(await answer('/health/ready')).toEqual([200, 'ok']);
    expect(await answer('/health/live')).toEqual([200, 'ok']);
    expect((await app.instance.inject('/health')).json()).toMatchObject({
      checks: { definitions: degraded },
    });
    const { body } = await app.instance.inject('/metrics');
    expect(body).toContain('tributary_health_check_passing{check="definitions"} 1\n');
    expect(body).toContain('tributary_health_check_degraded{check="definitions"} 1\n');
    await app.nest.close();
  });

  it('is not live if a liveness check fails', async () => {
    const health = new Health();
    health.register('progress', () => Promise.reject(new Error('stuck')), { liveness: true });
    expect((await health.report('liveness')).healthy).toBe(false);
  });

  it('fails a check that hangs, and does not start it again in the meantime', async () => {
    const health = new Health();
    let runs = 0;
    health.register('hangs', () => (runs++, new Promise(() => undefined)), { timeoutMs: 50 });
    const reports = await Promise.all([health.report('all'), health.report('all')]);
    for (const { checks } of reports)
      expect(checks.hangs).toEqual({ status: 'failing', error: 'no answer within 50 ms' });
    expect(runs).toBe(1);
  });

  it('runs a check once a second, for any number of probes', async () => {
    const health = new Health();
    let runs = 0;
    health.register('engine', async () => void runs++);
    for (let i = 0; i < 20; i++) await health.report('all');
    expect(runs).toBe(1);
  });

  it('is reported with version and uptime', async () => {
    const { app, context } = await startTestApp();
    context.health.register('log', async () => undefined);
    expect((await app.instance.inject('/health')).json()).toEqual({
      status: 'ok',
      version: '1.2.3',
      uptime_seconds: expect.any(Number) as number,
      checks: { log: { status: 'ok' } },
    });
    await app.nest.close();
  });
});

describe('the system routes', () => {
  it.each(['/health', '/health/live', '/health/ready', '/metrics'])(
    '%s accept no parameters',
    async (path) => {
      const { app } = await startTestApp();
      const answer = await app.instance.inject(`${path}?x=1`);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'x' }] });
      await app.nest.close();
    },
  );
});

describe('metrics', () => {
  it('label requests by route pattern, not by path', async () => {
    const { app } = await startTestApp();
    for (let i = 0; i < 100; i++) await app.instance.inject(`/things/${i}`);
    for (let i = 0; i < 100; i++) await app.instance.inject(`/nothing/${i}`);
    const { body, headers } = await app.instance.inject('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toMatch(
      /tributary_http_requests_total\{method="GET",route="\/things\/:id",status="2xx"\} \d+/,
    );
    expect(body).toContain('route="unmatched"');
    expect(body).not.toContain('/things/7');
    await app.nest.close();
  });

  it('contain the results of /health, and the problems of answers', async () => {
    const { app, context } = await startTestApp();
    context.health.register('store', () => Promise.reject(new Error('down')));
    context.health.register('log', async () => undefined);
    await app.instance.inject({ method: 'DELETE', url: '/things/full' });
    const { body } = await app.instance.inject('/metrics');
    expect(body).toContain('tributary_health_check_passing{check="store"} 0\n');
    expect(body).toContain('tributary_health_check_passing{check="log"} 1\n');
    expect(body).toMatch(/^tributary_http_problems_total\{code="too_many_requests"\} \d+$/m);
    await app.nest.close();
  });
});
