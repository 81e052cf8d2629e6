import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const names = new WeakMap<object, string>();

/** Sets the name of a port in the audit. */
export function namePort(instance: FastifyInstance, name: string): void {
  names.set(instance.server, name);
}

/** Returns the name of the port that received a request. */
export function portOf(request: FastifyRequest): string {
  return names.get(request.server.server satisfies Server) ?? 'unknown';
}
