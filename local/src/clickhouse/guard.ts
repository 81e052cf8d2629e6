import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The engine's only user. */
export const clickHouseUser = 'default';

/** Status and text with which the local ClickHouse server refuses a request. */
export interface HttpRefusal {
  status: number;
  text: string;
}

/**
 * Returns a refusal for a request that a page in a browser sent (`Origin`, `Sec-Fetch-Site`), or whose `Host` is not
 * a loopback address, which happens after DNS rebinding. Returns undefined for an acceptable request.
 */
export function refuseForeignOrigin(headers: IncomingHttpHeaders): HttpRefusal | undefined {
  if (!isLoopback(headers.host)) {
    return refused('its Host is not a loopback address. Use http://127.0.0.1 or http://localhost');
  }
  if (headers.origin !== undefined) return refused('it comes from a web page (Origin)');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    return refused('it comes from a web page (Sec-Fetch-Site)');
  }
  return undefined;
}

function refused(why: string): HttpRefusal {
  return {
    status: 403,
    text: `Code: 497. DB::Exception: The embedded ClickHouse refuses this request: ${why}. (ACCESS_DENIED)\n`,
  };
}

function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(host);
}

/** Returns a refusal for a query without the user and the password, or undefined for a query with both. */
export function refuseCredentials(headers: IncomingHttpHeaders, password: string): HttpRefusal | undefined {
  const given = basic(headers.authorization) ?? clickHouseHeaders(headers) ?? '';
  if (equal(given, `${clickHouseUser}:${password}`)) return undefined;
  return {
    status: 403,
    text: `Code: 516. DB::Exception: ${clickHouseUser}: Authentication failed. The embedded ClickHouse accepts the password of its data folder (the file \`password\` there) as Authorization: Basic or in the headers X-ClickHouse-User and X-ClickHouse-Key, not in the URL. (AUTHENTICATION_FAILED)\n`,
  };
}

/** Decodes `Basic` credentials to `user:password`. */
function basic(authorization: string | undefined): string | undefined {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

function clickHouseHeaders(headers: IncomingHttpHeaders): string | undefined {
  const [user, key] = [headers['x-clickhouse-user'] ?? clickHouseUser, headers['x-clickhouse-key']];
  return typeof user === 'string' && typeof key === 'string' ? `${user}:${key}` : undefined;
}

/** Compares two texts in a time that does not depend on their difference. */
function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
