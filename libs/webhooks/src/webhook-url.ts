import { isIP } from 'node:net';
import type { WebhookNetworks } from './networks.js';

const longest = 2048;

/** The address without the brackets that a URL has around IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * What is wrong with an address, as far as it can be told without resolving its name; undefined when nothing is. To which
 * addresses the name leads is looked at when it is connected to, each time.
 */
export function wrongInWebhookUrl(text: string, networks: WebhookNetworks): string | undefined {
  if (text.length > longest) return `has at most ${longest} characters`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) return 'must be a URL that begins with https://';
  if (url.username || url.password) return 'must not have a user or password in it';
  if (url.hash) return 'must not have a fragment (#…): it is never sent';
  const host = hostOf(url);
  if (isIP(host) && !networks.permits(host)) return notPublic;
  if (url.protocol === 'http:' && isIP(host) && !networks.opens(host)) return 'must begin with https://';
  return undefined;
}

/** The same words when it is found out before or after a name is resolved. */
export const notPublic =
  'leads to an address that is not public (private, loopback, link-local or reserved); who runs this installation can allow ' +
  'it with WEBHOOK_ALLOWED_NETWORKS';
