import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';

/**
 * Keeps web pages away from a port that asks for no key: whoever visits a page must not call the port for it.
 *
 * A page that had its own name resolve to this machine (DNS rebinding) is known by its `Host`: allowed are IP addresses,
 * which cannot be rebound, `localhost`, and the names given. A page of another site is known by `Sec-Fetch-Site` or
 * `Origin`, which no script can set; it may link here, and nothing else.
 */
export function guardSite(instance: FastifyInstance, allowedHosts: readonly string[]): void {
  const names = new Set(['localhost', ...allowedHosts.map((name) => name.toLowerCase())]);
  instance.addHook('onRequest', (request, _reply, done) => {
    if (!isAllowed(request.headers.host, names)) done(wrongHost());
    else if (isCrossSite(request)) done(crossSite());
    else done();
  });
}

/** HTTP/1.0 has no `Host`, and no browser that leaves it out. */
function isAllowed(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = hostName(host);
  return names.has(name) || isIP(name) > 0 || name.endsWith('.localhost');
}

/** The host of a `Host` header, without its port, brackets and the dot at its end. */
function hostName(host: string): string {
  const [, address, name = ''] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d*)?$/i.exec(host) ?? [];
  return (address ?? name).toLowerCase().replace(/\.$/, '');
}

function isCrossSite({ method, headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined) return headers.origin !== undefined && !isSameHost(headers.origin, headers.host);
  if (site === 'same-origin' || site === 'none') return false;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(isLink && (method === 'GET' || method === 'HEAD'));
}

/** Whether an `Origin` is on a host. The port of the origin's scheme is the same written out and left out. */
function isSameHost(origin: string, host = ''): boolean {
  const [, scheme, authority] = /^(https?):\/\/(.+)$/i.exec(origin) ?? [];
  if (scheme === undefined || authority === undefined) return false;
  const defaultPort = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/;
  const [own, sent] = [host, authority].map((name) => name.toLowerCase().replace(defaultPort, ''));
  return own === sent;
}

function wrongHost(): ProblemError {
  const detail =
    'The Host header names neither an IP address, nor localhost, nor a name of ALLOWED_HOSTS. If this instance is ' +
    'meant, add the name to that setting.';
  return new ProblemError('host_not_allowed', detail);
}

function crossSite(): ProblemError {
  const detail =
    'A web page of another site sent this. This port asks for no key, so it serves pages of its own only; other ' +
    'sites use a port that asks for one.';
  return new ProblemError('cross_site_request', detail);
}
