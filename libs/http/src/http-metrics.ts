import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { metrics } from '#telemetry';

/**
 * Counts and times every request by route pattern, whatever becomes of it. Fastify knows a fixed set of methods, and
 * patterns are as many as there are routes: the labels are bounded.
 */
export function registerHttpMetrics(instance: FastifyInstance): void {
  instance.addHook('onRequest', (_request, reply, done) => {
    metrics.httpInFlight.inc();
    reply.raw.on('close', () => metrics.httpInFlight.dec());
    done();
  });
  instance.addHook('onResponse', (request, reply, done) => {
    observe(request, reply);
    done();
  });
}

function observe(request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? 'unmatched';
  const status = `${Math.floor(reply.statusCode / 100)}xx`;
  metrics.httpRequests.inc({ method: request.method, route, status });
  metrics.httpDuration.observe({ method: request.method, route }, reply.elapsedTime / 1000);
}
