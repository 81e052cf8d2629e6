import type { FastifyInstance, RouteOptions } from 'fastify';
import { createHttpApp } from '#http';
import type { GivenGateway } from '../gateway-application-context.fixture.js';
import { queryPort } from '../ports.js';

/** Returns `METHOD /pattern` of every route of the API. */
export async function routesOfQueryPort({ context, gateway }: GivenGateway): Promise<string[]> {
  const options = queryPort(context, gateway);
  const routes: RouteOptions[] = [];
  const configure = (instance: FastifyInstance) => {
    options.configure?.(instance);
    instance.addHook('onRoute', (route) => void routes.push(route));
  };
  const app = await createHttpApp({ ...options, configure });
  await app.nest.close();
  return routes
    .flatMap(({ method, url }) => [method].flat().map((each) => `${each} ${url}`))
    .filter((route) => route.includes(' /api/') && !route.startsWith('HEAD '));
}
