import { KeepAliveConnection, requestBytes } from '../http/connection.js';

/** A request for a page, and the requests that it makes the system send to ClickHouse. */
export interface PageAndStoreRequests {
  request: Buffer;
  direct: Buffer[];
}

/** Latencies of the same pages through Tributary and directly from ClickHouse. */
export interface PageLatencies {
  /** Milliseconds of each page through the system, and of the same SQL sent directly to ClickHouse. */
  system: number[];
  direct: number[];
}

export function pageRequest(url: string, path: string, key: string): Buffer {
  const headers = { authorization: `Bearer ${key}` };
  return requestBytes({ method: 'GET', path, host: new URL(url).host, headers });
}

/**
 * Requests each page in both ways, one request at a time on a keep-alive connection. The order alternates with every
 * page, because the second way finds warm caches.
 */
export async function timePages(
  pages: readonly PageAndStoreRequests[],
  urls: { system: string; clickhouse: string },
): Promise<PageLatencies> {
  const system = await KeepAliveConnection.open(urls.system, { keepBody: false });
  const clickhouse = await KeepAliveConnection.open(urls.clickhouse, { keepBody: false });
  const times: PageLatencies = { system: [], direct: [] };
  for (const [index, page] of pages.entries()) {
    const ways = [
      async () => void times.system.push(await timed(system, [page.request])),
      async () => void times.direct.push(await timed(clickhouse, page.direct)),
    ];
    if (index % 2 === 1) ways.reverse();
    for (const way of ways) await way();
  }
  system.close();
  clickhouse.close();
  return times;
}

/** Returns the milliseconds of each request, one at a time on a keep-alive connection. */
export async function timeRequests(url: string, requests: readonly Buffer[]): Promise<number[]> {
  const connection = await KeepAliveConnection.open(url, { keepBody: false });
  const times: number[] = [];
  for (const request of requests) times.push(await timed(connection, [request]));
  connection.close();
  return times;
}

async function timed(connection: KeepAliveConnection, requests: readonly Buffer[]): Promise<number> {
  const startedAt = performance.now();
  for (const request of requests) {
    const { status } = await connection.send(request);
    if (status !== 200) throw new Error(`a page was answered with ${status}`);
  }
  return performance.now() - startedAt;
}
