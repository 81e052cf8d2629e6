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
  if (isIP(host) && !networks.permits(host)) return notPublic;
  if (url.protocol === 'http:' && isIP(host) && !networks.opens(host)) return 'must begin with https://';
  return undefined;
}

/**
 * Error text for a webhook URL that leads to a forbidden address. The text is the same whether the URL contains the
 * forbidden address or its host name resolves to the address.
 */
export const notPublic =
  'leads to an address that is not public (private, loopback, link-local or reserved); the operator of this installation can allow ' +
  'it with WEBHOOK_ALLOWED_NETWORKS';
