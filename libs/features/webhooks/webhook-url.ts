import { isIP } from 'node:net';
import type { WebhookAddressPolicy } from './webhook-address-policy.js';

const longest = 2048;

/**
 * Returns why the URL of a webhook is not allowed, without resolving its host name; undefined if it is allowed. The
 * addresses to which a host name resolves are checked at each connection.
 */
export function webhookUrlError(text: string, networks: WebhookAddressPolicy): string | undefined {
  if (text.length > longest) return `has at most ${longest} characters`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) return 'must be a URL that begins with https://';
  if (url.username || url.password) return 'must not have a user or password in it';
  if (url.hash) return 'must not have a fragment (#…): it is never sent';
  // `hostname` has brackets around IPv6 addresses.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? networks.errorAt({ address: host, ...portOf(url) }) : undefined;
}

/** Returns the port of an `http:` or `https:` URL, and whether it uses TLS. */
export function portOf({ protocol, port }: URL): { port: number; isTls: boolean } {
  const isTls = protocol === 'https:';
  return { port: Number(port) || (isTls ? 443 : 80), isTls };
}
