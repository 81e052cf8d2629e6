import type { RouteOptions } from 'fastify';

/** On every answer: a browser takes it for what its Content-Type says. What clients have written is never run. */
export const noSniffing = { 'x-content-type-options': 'nosniff' };

/**
 * On pages: they are shown in no frame, and load and call nothing but this port. Swagger UI has styles in its elements and
 * pictures in its styles.
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

/** Has a route answer with the headers of pages. */
export function protectPage(route: RouteOptions): void {
  route.onRequest = [
    ...[route.onRequest ?? []].flat(),
    (_request, reply, done) => {
      void reply.headers(ofPages);
      done();
    },
  ];
}
