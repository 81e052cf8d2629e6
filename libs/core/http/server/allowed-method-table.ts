import type { FastifyInstance } from 'fastify';

interface Route {
  method: string;
  segments: string[];
}

/**
 * Knows the HTTP methods of each path, for 405 answers. Fastify does not distinguish an unknown path from a path
 * without the requested method.
 */
export class AllowedMethodTable {
  private readonly routes: Route[] = [];

  /** Records all routes that are added to the instance from now on. */
  constructor(instance: FastifyInstance) {
    instance.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) this.routes.push({ method: each, segments: url.split('/') });
    });
  }

  /** Returns the methods of the routes that match this path, in alphabetical order; empty for an unknown address. */
  methods(path: string): string[] {
    const segments = path.split('/');
    const matching = this.routes.filter((route) => matches(route.segments, segments));
    return [...new Set(matching.map(({ method }) => method))].sort();
  }
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const wildcard = pattern.at(-1) === '*';
  if (wildcard ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every(
    (part, i) => part === path[i] || part === '*' || (part.startsWith(':') && path[i] !== ''),
  );
}
