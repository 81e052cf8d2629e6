import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppConfig } from '#api';
import { createContext } from './process-context.js';
import { createHttpApp } from './http-app.js';
import { startTestApp, type TestApp } from '../http.fixture.js';

let given: TestApp;
beforeAll(async () => {
  given = await startTestApp({ allowedHosts: ['gateway', 'Events.Example.com'], openapi: description });
});
afterAll(() => given.app.nest.close());

const description = { title: 'Things', description: '', version: '1' };
const ask = (headers: Record<string, string>, method: 'GET' | 'HEAD' | 'POST' = 'GET', url = '/things') =>
  given.app.instance.inject({ method, url, headers });
const get = async (headers: Record<string, string>, url?: string) =>
  (await ask(headers, 'GET', url)).statusCode;

describe('a port without keys', () => {
  it.each([
    'localhost',
    'localhost:3900',
    'LOCALHOST:3900',
    'localhost.',
    'app.localhost:3900',
    '127.0.0.1:3900',
    '10.1.2.3',
    '[::1]:3900',
    '[fd00::17]',
    'gateway:3900',
    'events.example.com',
    'EVENTS.example.com.:80',
  ])('serves requests to %s', async (host) => {
    expect(await get({ host })).toBe(200);
  });

  it.each([
    'attacker.example',
    'attacker.example:3900',
    'localhost.attacker.example',
    'attackerlocalhost',
    'events.example.com.attacker.example',
    'x.events.example.com',
    '127.0.0.1.attacker.example',
    '2130706433',
    '0x7f.1',
    '127.1',
    '127.0.0.1@attacker.example',
    'localhost:3900:1',
    '[::1',
    '[localhost]',
    'local host',
    '.',
  ])('rejects requests to %j and names the setting that allows them', async (host) => {
    const answer = await ask({ host });
    expect(answer.json()).toMatchObject({ code: 'host_not_allowed', status: 421 });
    expect(answer.json<{ detail: string }>().detail).toContain('ALLOWED_HOSTS');
  });

  it.each(['/health', '/health/live', '/metrics', '/openapi.json', '/docs', '/nowhere'])(
    'rejects them at %s, too',
    async (url) => {
      expect(await get({ host: 'attacker.example' }, url)).toBe(421);
      expect(await get({ 'sec-fetch-site': 'cross-site' }, url)).toBe(403);
    },
  );

  it.each<Record<string, string>>([
    { origin: 'http://attacker.example' },
    { origin: 'null' },
    { origin: 'http://localhost:5173', host: 'localhost:3900' },
    { origin: 'http://localhost', host: 'localhost:3900' },
    { origin: 'file://' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3900', host: 'localhost:3900' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-site': 'anything' },
  ])('rejects requests of a page of another site: %j', async (headers) => {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await ask(headers, method);
      expect(answer.json(), method).toMatchObject({ code: 'cross_site_request', status: 403 });
    }
  });

  it('serves its own pages, and clients that send no browser headers', async () => {
    const own = { host: 'localhost:3900', origin: 'http://localhost:3900' };
    expect(await get(own)).toBe(200);
    expect(await get({ ...own, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBe(200);
    expect(await get({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })).toBe(200);
    expect(await get({})).toBe(200);
  });

  it.each([
    ['http://localhost', 'localhost:80'],
    ['http://localhost:80', 'localhost'],
    ['https://Events.example.com', 'events.example.com:443'],
    ['HTTPS://events.example.com:443', 'events.example.com'],
    ['http://[::1]', '[::1]:80'],
  ])('serves its own pages (%s) if only one of the two names the default port (%s)', async (origin, host) => {
    expect(await get({ origin, host })).toBe(200);
  });

  it.each([
    ['https://localhost', 'localhost:80'],
    ['https://localhost:80', 'localhost'],
    ['http://localhost:443', 'localhost'],
    ['http://localhost:180', 'localhost:1'],
  ])('rejects a page (%s) with another port than the request (%s)', async (origin, host) => {
    expect(await get({ origin, host })).toBe(403);
  });

  it('serves its own pages behind a proxy that sends another host', async () => {
    const proxied = {
      host: 'gateway:3900',
      origin: 'https://events.example',
      'sec-fetch-site': 'same-origin',
    };
    expect(await get(proxied)).toBe(200);
  });

  it('accepts links from any site, but only to read', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(await get(link, '/docs')).toBe(200);
    expect((await ask(link, 'HEAD', '/docs')).statusCode).toBe(200);
    expect((await ask({ ...link, origin: 'null' }, 'POST')).json()).toMatchObject({
      code: 'cross_site_request',
    });
  });

  it('accepts requests to the host name in HOST', async () => {
    const config = Object.assign(new AppConfig(), { HOST: 'events.internal', LOG_LEVEL: 'silent' });
    const context = createContext({ name: 'spec', config });
    const app = await createHttpApp({ context, module: class {} });
    const answer = await app.instance.inject({
      url: '/health/live',
      headers: { host: 'events.internal:3900' },
    });
    expect(answer.statusCode).toBe(200);
    await app.nest.close();
  });
});

describe('a port with keys', () => {
  it('accepts any host and any site, because the key decides', async () => {
    const keyed = await startTestApp({ anySite: true });
    const headers = {
      host: 'attacker.example',
      origin: 'http://attacker.example',
      'sec-fetch-site': 'cross-site',
    };
    expect((await keyed.app.instance.inject({ url: '/things', headers })).statusCode).toBe(200);
    await keyed.app.nest.close();
  });
});
