import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const names = new WeakMap<object, string>();

/** Sets the name of an HTTP port, such as `query`, with which audit events name it. */
export function namePort(instance: FastifyInstance, name: string): void {
  names.set(instance.server, name);
}

/** Returns the name of the HTTP port that received a request. */
export function portOf(request: FastifyRequest): string {
  return names.get(request.server.server satisfies Server) ?? 'unknown';
}
