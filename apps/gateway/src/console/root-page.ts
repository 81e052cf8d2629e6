import type { FastifyInstance, FastifyRequest } from 'fastify';
import { protectedPage } from './page-headers.js';

/** The paths are relative, so that they work behind a proxy that adds a path prefix. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Tributary</title>
    <link rel="icon" href="console/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="console/root.css" />
  </head>
  <body>
    <main>
      <h1>Tributary</h1>
      <p>An event store and stream-processing platform.</p>
      <ul>
        <li><a href="console/">Console</a> <span>streams, projections and pipelines in the browser</span></li>
        <li><a href="docs">API documentation</a> <span>every endpoint, and <a href="openapi.json">OpenAPI</a></span></li>
        <li><a href="health/live">Health</a> <span>whether this instance answers</span></li>
      </ul>
    </main>
  </body>
</html>
`;

/**
 * Answers a browser at `/` with a small page. A request with query parameters or credentials is handled as SQL instead,
 * because the query port serves ClickHouse's HTTP interface at `/`.
 */
export function serveRootPage(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, reply, done) => {
    if (!isBrowserAtRoot(request)) return done();
    void reply
      .headers({ ...protectedPage, 'content-type': 'text/html; charset=utf-8', vary: 'accept' })
      .send(page);
  });
}

function isBrowserAtRoot({ method, url, headers }: FastifyRequest): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || url !== '/') return false;
  if (headers.authorization !== undefined || headers['x-clickhouse-key'] !== undefined) return false;
  return /\btext\/html\b/.test(headers.accept ?? '');
}
