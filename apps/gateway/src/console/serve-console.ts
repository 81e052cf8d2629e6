import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

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

/**
 * Headers of the console and of the page at `/`: no frame may show them, nothing inline runs, and they load and call
 * nothing but this port.
 */
export const protectedPage = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** A static file of the console in memory. */
export interface ConsoleFile {
  type: string;
  bytes: Buffer;
  gzip: Buffer;
  etag: string;
  /** Whether the file name contains a hash of the content, so that browsers may cache the file forever. */
  isHashed: boolean;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built console. The keys are paths with slashes. Files of other types are left out. */
export function readConsoleFiles(folder: string): Map<string, ConsoleFile> {
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = entries.map(({ parentPath, path, name }) => join(parentPath ?? path, name));
  return new Map(
    paths
      .filter((path) => extname(path) in types)
      .map((path) => [relative(folder, path).split(sep).join('/'), fileAt(folder, path)]),
  );
}

function fileAt(folder: string, path: string): ConsoleFile {
  const bytes = readFileSync(path);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    type: types[extname(path)]!,
    bytes,
    gzip: gzipSync(bytes, { level: 9 }),
    etag: `"${hash}"`,
    isHashed: relative(folder, path).startsWith(`assets${sep}`),
  };
}

/**
 * Returns the folder of the built console: `packages/console/dist` in the nearest folder above this file that has it,
 * in a clone and in the image.
 */
export function consoleFolder(): string {
  for (let folder = import.meta.dirname; ; folder = join(folder, '..')) {
    const candidate = join(folder, 'packages', 'console', 'dist');
    if (existsSync(join(candidate, 'index.html')) || folder === join(folder, '..')) return candidate;
  }
}

/** What the console page learns from the gateway about the port that serves it. */
interface ConsoleSettings {
  /** Whether this port requires a key. */
  keys: boolean;
  /** Whether the console offers changes on this port. */
  writes: boolean;
  version: string;
}

const open = { config: { public: true } };

/**
 * Serves the console below `/console`. The files need no key: the page asks for it and sends it to the API. Each path
 * without a file is a view of the console: the answer is the same HTML page, which reads the path and the query
 * parameters itself. The files are read at the first request.
 */
export function serveConsole(
  instance: FastifyInstance,
  { readFiles, settings }: { readFiles: () => ReadonlyMap<string, ConsoleFile>; settings: ConsoleSettings },
): void {
  let read: ReadonlyMap<string, ConsoleFile> | undefined;
  // The redirect is relative, so that it works behind a proxy that adds a path prefix.
  instance.get('/console', open, (_request, reply) => reply.redirect('console/', 302));
  instance.get('/console/settings.json', open, (_request, reply) =>
    reply.header('cache-control', 'no-store').send(settings),
  );
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': path = '' } = request.params as { '*'?: string };
    const files = (read ??= readFiles());
    const file = files.get(path) ?? (path.startsWith('assets/') ? undefined : files.get('index.html'));
    if (!file) throw notFound(files.size === 0);
    return sendFile(request, reply, file);
  };
  instance.get('/console/', open, answer);
  instance.get('/console/*', open, answer);
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  void reply.headers({
    ...protectedPage,
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.gzip);
}

function notFound(isMissing: boolean): ProblemError {
  const detail = isMissing
    ? 'The console has not been built. Run `npm run build`, and start the gateway again.'
    : 'The console has no such file. It may be of another version: load the page again.';
  return new ProblemError('not_found', detail);
}
