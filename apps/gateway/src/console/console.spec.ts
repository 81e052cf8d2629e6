import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConsoleFiles, serveRootPage, serveConsole } from './serve-console.js';

let folder: string;
let app: FastifyInstance;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<p>page</p>');
  writeFileSync(join(folder, 'assets', 'index-abc.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'x');
  app = fastify();
  const settings = { keys: true, writes: false, version: '1' };
  serveRootPage(app);
  serveConsole(app, { readFiles: () => readConsoleFiles(folder), settings });
  app.get('/', () => 'sql');
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('the console', () => {
  it.each(['/console/', '/console/streams/a%2Fb?where=x', '/console/secret.txt', '/console/../secret.txt/x'])(
    'answers %s with no other file than the page',
    async (url) => {
      const answer = await get(url);
      expect(answer.body).not.toContain('x\n');
      if (answer.statusCode === 200) expect(answer.body).toBe('<p>page</p>');
    },
  );

  it('serves hashed files for ever, and the page only after asking again', async () => {
    const script = await get('/console/assets/index-abc.js', { 'accept-encoding': 'gzip' });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
    });
    expect(gunzipSync(script.rawPayload).toString()).toBe('export {};');
    const page = await get('/console/');
    expect(page.headers['cache-control']).toBe('no-cache');
    expect((await get('/console/', { 'if-none-match': String(page.headers.etag) })).statusCode).toBe(304);
  });

  it('allows nothing inline, and no frame', async () => {
    const policy = (await get('/console/')).headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('has no file for an unknown hash', async () => {
    expect((await get('/console/assets/index-old.js')).statusCode).toBe(404);
  });

  it('says what the page may do', async () => {
    const answer = await get('/console/settings.json');
    expect(answer.json()).toEqual({ keys: true, writes: false, version: '1' });
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('the page at /', () => {
  it('is for browsers', async () => {
    const answer = await get('/', { accept: 'text/html,*/*' });
    expect(answer.body).toContain('<a href="console/">Console</a>');
  });

  it.each([
    ['another type', '/', { accept: '*/*' }],
    ['a statement', '/?query=SELECT', { accept: 'text/html' }],
    ['credentials', '/', { accept: 'text/html', authorization: 'Basic eDp5' }],
    ['a key', '/', { accept: 'text/html', 'x-clickhouse-key': 'k' }],
  ])('leaves a request with %s to SQL', async (_name, url, headers) => {
    expect((await get(url, headers as unknown as Record<string, string>)).body).toBe('sql');
  });
});
