import type { RouteOptions } from 'fastify';

/** Header of every answer: browsers must not guess another type, so that they never run content of clients. */
export const noSniffing = { 'x-content-type-options': 'nosniff' };

/**
 * Headers of HTML pages: no frame may show them, and they load and call nothing but this port. Swagger UI needs inline
 * styles and `data:` images.
 */
const ofPages = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** Adds the headers of HTML pages to the answers of a route. */
export function protectPage(route: RouteOptions): void {
  route.onRequest = [
    ...[route.onRequest ?? []].flat(),
    (_request, reply, done) => {
      void reply.headers(ofPages);
      done();
    },
  ];
}
