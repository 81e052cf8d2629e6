import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '#api';
import type { AppContext } from './app-context.js';
import { systemPaths } from './system-routes.js';
import { whenClosed } from '../when-closed.js';

/** Milliseconds that a request may take to arrive once the port is closing. */
const lateRequestMs = 5000;

type DrainState = 'open' | 'draining' | 'closed';

/**
 * Takes one HTTP port out of service without cutting a request off: first every answer says `Connection: close` while
 * work goes on (load balancers see `/health/ready` red meanwhile), then no connection is accepted and what still
 * arrives on open ones gets a 503, then what is in flight is waited for.
 */
export class PortDrain {
  private state: DrainState = 'open';
  private inFlight = 0;
  private whenIdle: (() => void) | undefined;

  constructor(
    private readonly instance: FastifyInstance,
    context: Pick<AppContext, 'lifecycle'>,
  ) {
    instance.addHook('onRequest', (request, reply, done) => {
      this.inFlight++;
      whenClosed(reply.raw, () => this.left());
      if (this.state !== 'open') void reply.header('connection', 'close');
      // HTTP/1.0 probes and Prometheus still get their answer.
      const system = systemPaths.includes(request.routeOptions.url ?? '');
      if (this.state === 'closed' && !system) done(shuttingDown());
      else if (!context.lifecycle.running && this.state === 'open' && !system) done(starting());
      else done();
    });
  }

  /** Resolves when the last answer has been sent, or at the deadline; then nothing is left open. */
  async close(graceMs: number, deadline: AbortSignal): Promise<void> {
    const server = this.instance.server;
    this.state = 'draining';
    // Requests that are still being sent get this long to arrive, and then a 408.
    server.requestTimeout = Math.min(server.requestTimeout || Infinity, lateRequestMs);
    server.headersTimeout = Math.min(server.headersTimeout, lateRequestMs);
    await sleep(graceMs, undefined, { signal: deadline }).catch(() => undefined);
    this.state = 'closed';
    // http.Server.close would cut idle connections at once, and with them requests that are on their way on one.
    if (server.listening) Server.prototype.close.call(server);
    await this.idle(deadline);
    server.closeIdleConnections();
    if (deadline.aborted) server.closeAllConnections();
  }

  private left(): void {
    this.inFlight--;
    if (this.inFlight === 0) this.whenIdle?.();
  }

  private idle(deadline: AbortSignal): Promise<void> {
    if (this.inFlight === 0 || deadline.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenIdle = resolve;
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

function shuttingDown(): ProblemError {
  return new ProblemError('shutting_down', 'This instance is shutting down. Repeat the request elsewhere.');
}

function starting(): ProblemError {
  return new ProblemError('starting', 'This instance is still waiting for its engines. Repeat the request.');
}
