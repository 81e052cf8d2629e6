import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '#api';
import type { ProcessContext } from './process-context.js';
import { systemPaths } from './system-routes.js';
import { whenClosed } from '../when-closed.js';

/** Milliseconds in which a request must arrive completely after its HTTP port begins to close. */
const lateRequestMs = 5000;

/**
 * Closes one HTTP port without breaking a request. While draining, every answer has `Connection: close`, and load
 * balancers see `/health/ready` fail. After draining, the port accepts no new connections, and requests that still
 * arrive on open connections get 503. At the end it waits for the requests in flight.
 */
export class PortDrain {
  private state: 'open' | 'draining' | 'closed' = 'open';
  private inFlight = 0;
  private whenIdle: (() => void) | undefined;

  constructor(
    private readonly instance: FastifyInstance,
    context: Pick<ProcessContext, 'lifecycle'>,
  ) {
    instance.addHook('onRequest', (request, reply, done) => {
      this.inFlight++;
      whenClosed(reply.raw, () => {
        this.inFlight--;
        if (this.inFlight === 0) this.whenIdle?.();
      });
      if (this.state !== 'open') void reply.header('connection', 'close');
      // Probes and Prometheus with HTTP/1.0 still get an answer.
      const system = systemPaths.includes(request.routeOptions.url ?? '');
      if (this.state === 'closed' && !system)
        done(
          new ProblemError('shutting_down', 'This instance is shutting down. Repeat the request elsewhere.'),
        );
      else if (!context.lifecycle.running && this.state === 'open' && !system)
        done(
          new ProblemError(
            'starting',
            'This instance is still waiting for Kafka or ClickHouse. Repeat the request.',
          ),
        );
      else done();
    });
  }

  /** Closes the HTTP port. Resolves after the last answer, or at the deadline, at which all connections are closed. */
  async close(graceMs: number, deadline: AbortSignal): Promise<void> {
    const server = this.instance.server;
    this.state = 'draining';
    // Requests that are still arriving get this time, and then a 408.
    server.requestTimeout = Math.min(server.requestTimeout || Infinity, lateRequestMs);
    server.headersTimeout = Math.min(server.headersTimeout, lateRequestMs);
    await sleep(graceMs, undefined, { signal: deadline }).catch(() => undefined);
    this.state = 'closed';
    // `http.Server.close` would close idle connections at once, and lose requests that are about to arrive on them.
    if (server.listening) Server.prototype.close.call(server);
    await this.idle(deadline);
    server.closeIdleConnections();
    if (deadline.aborted) server.closeAllConnections();
  }

  private idle(deadline: AbortSignal): Promise<void> {
    if (this.inFlight === 0 || deadline.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenIdle = resolve;
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
