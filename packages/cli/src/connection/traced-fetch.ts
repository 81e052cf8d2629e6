import { type Fetch, visibleText } from '#client';

/** Returns a `fetch` that reports each request and its answer, with the key masked. */
export function tracedFetch(report: (line: string) => void, fetch: Fetch): Fetch {
  return async (url, init) => {
    const started = performance.now();
    const since = () => `${Math.round(performance.now() - started)} ms`;
    report(`> ${init.method ?? 'GET'} ${visibleText(url)}${headersText(init.headers)}`);
    try {
      const response = await fetch(url, init);
      const id = response.headers.get('x-request-id');
      report(`< ${response.status} after ${since()}${id ? `, request ${visibleText(id)}` : ''}`);
      return response;
    } catch (error) {
      report(`< no answer after ${since()}: ${visibleText((error as Error).message)}`);
      throw error;
    }
  };
}

/** Returns the headers as text; the key is replaced by a placeholder. */
function headersText(headers: RequestInit['headers']): string {
  const shown = [...new Headers(headers)].map(([name, value]) =>
    name === 'authorization' ? `${name}: Bearer ****` : `${name}: ${visibleText(value)}`,
  );
  return shown.length > 0 ? ` (${shown.join(', ')})` : '';
}
