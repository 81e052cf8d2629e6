import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';

const wrongHost =
  'The Host header names neither an IP address, nor localhost, nor a name of ALLOWED_HOSTS. If the name belongs to ' +
  'this instance, add it to that setting.';
const crossSite =
  'A web page of another site sent this request. This port requires no key, so it only serves its own pages. Other ' +
  'sites must use a port that requires keys.';

/**
 * Rejects requests of foreign web pages on a port without keys, so that a page cannot call the port through its
 * visitor's browser.
 *
 * DNS rebinding (a page whose own name resolves to this machine) is detected by the `Host` header. Allowed are IP
 * addresses, which cannot be rebound, `localhost`, and `allowedHosts`. A page of another site is detected by
 * `Sec-Fetch-Site` or `Origin`, which no script can set. A web page of another site may link to this port, but not call
 * it.
 */
export function guardSite(instance: FastifyInstance, allowedHosts: readonly string[]): void {
  const names = new Set(['localhost', ...allowedHosts.map((name) => name.toLowerCase())]);
  instance.addHook('onRequest', (request, _reply, done) => {
    if (!isAllowed(request.headers.host, names)) done(new ProblemError('host_not_allowed', wrongHost));
    else if (isCrossSite(request)) done(new ProblemError('cross_site_request', crossSite));
    else done();
  });
}

/** Returns whether the port serves this host. A request without `Host` (HTTP/1.0) is allowed: browsers send one. */
function isAllowed(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = hostName(host);
  return names.has(name) || isIP(name) > 0 || name.endsWith('.localhost');
}

/** Returns the host name of a `Host` header, without port, brackets and trailing dot. */
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

/** Returns whether an `Origin` has the same host and port as `host`. The default port of the scheme may be omitted. */
function isSameHost(origin: string, host = ''): boolean {
  const [, scheme, authority] = /^(https?):\/\/(.+)$/i.exec(origin) ?? [];
  if (scheme === undefined || authority === undefined) return false;
  const defaultPort = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/;
  const [own, sent] = [host, authority].map((name) => name.toLowerCase().replace(defaultPort, ''));
  return own === sent;
}
