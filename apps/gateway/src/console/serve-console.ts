import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import type { ConsoleFile } from './console-files.js';
import { protectedPage } from './page-headers.js';

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
