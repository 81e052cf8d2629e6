import type { ServerResponse } from 'node:http';

type Response = Pick<ServerResponse, 'once' | 'closed'>;

const waiting = new WeakMap<Response, (() => void)[]>();

/**
 * Calls this once, when the answer has been sent or its connection has closed before; at once, where it is closed already. All who wait for one answer share a
 * listener: Node warns of a leak at eleven, and Fastify and Node have their own.
 */
export function whenClosed(response: Response, call: () => void): void {
  if (response.closed) return call();
  const others = waiting.get(response);
  if (others) return void others.push(call);
  const calls = [call];
  waiting.set(response, calls);
  response.once('close', () => {
    for (const each of calls) each();
  });
}
