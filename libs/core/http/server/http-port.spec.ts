import { Controller, Get, Module, Req } from '@nestjs/common';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AppConfig } from '#api';
import { ConfiguredKeyRing, generateKey, Public, requireApiKeys, RequireScope } from '../index.js';
import { portOf, OnlyOnPort } from '../route-config.js';
import { createHttpApp, type HttpApp } from './http-app.js';
import { serveRoutesOf, type HttpPort } from './http-port.js';
import { createContext } from './process-context.js';

let created = 0;

@Controller()
class SampleController {
  constructor() {
    created++;
  }

  @Get('shared')
  @RequireScope('events:read')
  shared(@Req() request: FastifyRequest): object {
    return { port: portOf(request) };
  }

  @Get('open')
  @Public()
  open(): string {
    return 'open';
  }

  @Get('own')
  @OnlyOnPort('locked')
  @RequireScope('events:read')
  own(): string {
    return 'own';
  }
}

@Module({ controllers: [SampleController] })
class SampleModule {}

const { key, keyId, sha256 } = generateKey();
const context = createContext({
  name: 'spec',
  config: Object.assign(new AppConfig(), { LOG_LEVEL: 'silent' }),
  version: '1.2.3',
});

describe('an application with two ports', () => {
  let app: HttpApp;
  let unlocked: HttpPort;
  beforeAll(async () => {
    context.lifecycle.running = true;
    app = await createHttpApp({
      context,
      module: SampleModule,
      port: 'locked',
      openapi: { title: 'Locked', description: '', version: '1', keys: true },
      configure: (instance) =>
        requireApiKeys(instance, { keyRing: new ConfiguredKeyRing([`${keyId}:${sha256}:events:read`]) }),
      otherPorts: [{ port: 'unlocked', openapi: { title: 'Unlocked', description: '', version: '1' } }],
    });
    unlocked = app.otherPorts[0] as HttpPort;
  });
  afterAll(() => app.nest.close());

  const get = ({ instance }: HttpPort, url: string, headers = {}) => instance.inject({ url, headers });
  const authorization = `Bearer ${key}`;

  it('creates its controllers once', () => expect(created).toBe(1));

  it('serves a route on both, each with hooks of its own', async () => {
    expect((await get(app, '/shared')).statusCode).toBe(401);
    expect((await get(app, '/shared', { authorization })).json()).toEqual({ port: 'locked' });
    expect((await get(unlocked, '/shared')).json()).toEqual({ port: 'unlocked' });
    expect((await get(app, '/open')).body).toBe('open');
  });

  it('serves a route of one port on that port only', async () => {
    expect((await get(app, '/own', { authorization })).body).toBe('own');
    const answer = await get(unlocked, '/own');
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([404, 'not_found']);
  });

  it('answers HEAD, and 405 for other methods, on both', async () => {
    for (const { instance } of [app, unlocked]) {
      const head = await instance.inject({ method: 'HEAD', url: '/open' });
      expect([head.statusCode, head.body]).toEqual([200, '']);
      const other = await instance.inject({ method: 'DELETE', url: '/open', headers: { authorization } });
      expect([other.statusCode, other.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('makes the document of a port once', async () => {
    const made = vi.spyOn(SwaggerModule, 'createDocument');
    for (let n = 0; n < 3; n++)
      for (const port of [app, unlocked]) await get(port, '/openapi.json', { authorization });
    expect(made.mock.calls.length).toBeLessThanOrEqual(2);
    made.mockRestore();
  });

  it('has a document for each port, with the routes of that port', async () => {
    const documentOf = async (port: HttpPort) =>
      (await get(port, '/openapi.json', { authorization })).json<{
        info: { title: string };
        paths: Record<string, object>;
      }>();
    const [locked, open] = [await documentOf(app), await documentOf(unlocked)];
    expect([locked.info.title, open.info.title]).toEqual(['Locked', 'Unlocked']);
    expect(Object.keys(locked.paths).filter((path) => !Object.hasOwn(open.paths, path))).toEqual(['/own']);
    expect(JSON.stringify(locked)).not.toContain('x-only-on-port');
    expect((await get(app, '/docs')).statusCode).toBe(401);
    expect((await get(unlocked, '/docs')).body).toContain('<title>Tributary</title>');
    expect((await get(unlocked, '/docs/swagger-ui.css')).statusCode).toBe(200);
  });
});

it('an application does not start if a route that the port with keys has declares no scope', async () => {
  @Controller()
  class ForgottenController {
    @Get('forgotten')
    get(): string {
      return 'never';
    }
  }
  @Module({ controllers: [ForgottenController] })
  class ForgottenModule {}
  const configure = (instance: FastifyInstance) =>
    requireApiKeys(instance, { keyRing: new ConfiguredKeyRing([]) });
  await expect(createHttpApp({ context, module: ForgottenModule, configure })).rejects.toThrow(
    'Routes without a scope on a port with keys: GET /forgotten',
  );
});

describe('an application', () => {
  it('does not start if a route is meant for a port that is not the first', async () => {
    @Controller()
    class ForeignController {
      @Get('internal')
      @OnlyOnPort('other')
      @Public()
      get(): string {
        return 'open on the first port';
      }
    }
    @Module({ controllers: [ForeignController] })
    class ForeignModule {}
    const options = { context, module: ForeignModule, port: 'first', otherPorts: [{ port: 'other' }] };
    await expect(createHttpApp(options)).rejects.toThrow(
      'OnlyOnPort must name the first port, first: GET /internal (only on other)',
    );
  });

  it('starts with two ports without keys, each with its document', async () => {
    const openapi = { title: 'T', description: '', version: '1' };
    const both = await createHttpApp({
      ...{ context, module: SampleModule, port: 'locked', openapi },
      otherPorts: [{ port: 'other', openapi }],
    });
    for (const { instance } of [both, ...both.otherPorts])
      expect((await instance.inject('/')).headers.location).toBe('docs');
    await both.nest.close();
  });
});

it('a copied route keeps its hooks and limits', async () => {
  const [source, copy] = [fastify(), fastify()];
  serveRoutesOf(source, { instance: copy, name: 'copy' });
  const preHandler = (_: unknown, reply: FastifyReply) => void reply.code(202).send('by the hook');
  source.get('/hooked', { preHandler }, () => 'by the handler');
  source.post('/limited', { bodyLimit: 10 }, () => 'received');
  for (const instance of [source, copy]) {
    expect((await instance.inject('/hooked')).body).toBe('by the hook');
    const long = { method: 'POST', url: '/limited', payload: { text: 'more than ten bytes' } } as const;
    expect((await instance.inject(long)).statusCode).toBe(413);
  }
});
