import type { FastifyInstance, FastifyRequest } from 'fastify';
import { activeWork } from '#telemetry';
import { whenClosed } from '../when-closed.js';
import { httpInFlight, httpRequests, httpDuration } from '../metrics.js';

/**
 * Counts and times every HTTP request by method and route pattern, whatever its result. The number of label values is
 * limited by Fastify's methods and by the routes. A request counts as in flight until its answer is closed.
 */
export function registerHttpMetrics(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, reply, done) => {
    httpInFlight.inc();
    const end = activeWork.begin({ request: request.id, method: request.method, route: routeOf(request) });
    whenClosed(reply.raw, () => {
      httpInFlight.dec();
      end();
    });
    done();
  });
  instance.addHook('onResponse', (request, reply, done) => {
    const [route, status] = [routeOf(request), `${Math.floor(reply.statusCode / 100)}xx`];
    httpRequests.inc({ method: request.method, route, status });
    httpDuration.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    done();
  });
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unmatched';
}
