import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TraceSpan, Tracing } from '#telemetry';
import { whenClosed } from '../when-closed.js';

const spans = new WeakMap<FastifyRequest, TraceSpan>();

/** Returns the trace span of this request; undefined if tracing is off or the request has no span. */
export function spanOf(request: FastifyRequest): TraceSpan | undefined {
  return spans.get(request);
}

/**
 * Creates a span for each request to the API, from its headers until its answer is closed. Probes, metrics and unknown
 * addresses have no span. The span has the pattern of the route and not the path, which may contain an entity's id.
 */
export function registerHttpTracing(instance: FastifyInstance, tracing: Tracing): void {
  instance.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url;
    if (!route?.startsWith('/api/')) return done();
    const span = tracing.start(`${request.method} ${route}`, {
      kind: 'server',
      parent: request.headers.traceparent?.toString(),
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'tributary.request_id': request.id,
      },
    });
    spans.set(request, span);
    if (span.recording) whenClosed(reply.raw, () => end(span, reply));
    done();
  });
}

function end(span: TraceSpan, { raw }: FastifyReply): void {
  const { headersSent, statusCode, writableFinished } = raw;
  if (!writableFinished) span.set({ 'tributary.client_gone': true });
  if (headersSent) span.set({ 'http.response.status_code': statusCode });
  span.end(headersSent && statusCode >= 500 ? String(statusCode) : undefined);
}
