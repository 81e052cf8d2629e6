import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const names = new WeakMap<object, string>();

/** Gives a port the name that the audit knows it by. */
export function namePort(instance: FastifyInstance, name: string): void {
  names.set(instance.server, name);
}

/** The name of the port that a request came in on. */
export function portOf(request: FastifyRequest): string {
  return names.get(request.server.server satisfies Server) ?? 'unknown';
}
