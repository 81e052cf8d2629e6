import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from './http.fixture.js';

let given: TestApp;
beforeAll(async () => {
  given = await startTestApp({ openapi: { title: 'Things', description: '', version: '1' } });
});
afterAll(() => given.app.nest.close());

const get = (url: string, headers = {}) => given.app.instance.inject({ url, headers });
const pages = ['/docs', '/docs/', '/docs/index.html'];
const files = ['/docs/swagger-ui-init.js', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'];

describe('every answer', () => {
  it.each([
    ...['/things', '/things/17', '/nowhere', '/%zz', '/health', '/metrics', '/openapi.json', '/'],
    ...pages,
    ...files,
    `/things/${'x'.repeat(2000)}`,
  ])('at %s forbids browsers to guess another content type', async (url) => {
    expect((await get(url)).headers['x-content-type-options']).toBe('nosniff');
  });

  it('that rejects a host forbids it, too', async () => {
    expect((await get('/things', { host: 'x.example' })).headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('the files of the documentation', () => {
  it.each([
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%5c..%5c',
    '/docs/%00',
    '/docs//',
    `/docs/${'a'.repeat(5000)}`,
  ])('do not include %s, which is a 404', async (url) => {
    expect((await get(url)).json()).toMatchObject({ code: 'not_found', status: 404 });
  });
});

describe('the pages of the documentation', () => {
  it.each([...pages, ...files])('%s cannot be framed and call no other site', async (url) => {
    const { headers, statusCode } = await get(url);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "connect-src 'self'"]),
    );
  });

  it.each(pages)('%s have only scripts of this port, as their policy requires', async (url) => {
    const { body } = await get(url);
    expect(body.match(/<script/g)?.length).toBe(body.match(/<script src="\.\//g)?.length);
    expect(body).not.toMatch(/\son[a-z]+=/);
    expect(body.match(/(?:src|href)="[^".]/g)).toBeNull();
    const { headers } = await get(url);
    expect(headers['content-security-policy']).toContain("script-src 'self';");
  });

  it('do not use an external validator', async () => {
    expect((await get('/docs/swagger-ui-init.js')).body).toMatch(/"validatorUrl": null/);
  });
});
