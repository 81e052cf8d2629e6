import type { FastifyReply, FastifyRequest } from 'fastify';

/** How a request with several values goes on where one of them is refused (RFC 7240, section 4.4). */
export type Handling = 'lenient' | 'strict';

/** What `Prefer` asks for: the first `handling` that stands there. What is not understood is passed over. */
export function handlingOf({ headers }: Pick<FastifyRequest, 'headers'>): Handling | undefined {
  const asked = [headers.prefer ?? []].flat().join(',');
  // One preference after the other; a comma or an equals sign in quotes belongs to its value.
  for (const [preference] of asked.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g)) {
    const [, value = ''] = /^\s*handling\s*=\s*"?([a-z]*)"?\s*(?:;|$)/i.exec(preference) ?? [];
    const handling = value.toLowerCase();
    if (handling === 'lenient' || handling === 'strict') return handling;
  }
  return undefined;
}

/** Says in the answer that the request was handled as it asked. */
export function applied(reply: FastifyReply, handling: Handling): void {
  void reply.header('preference-applied', `handling=${handling}`);
}
