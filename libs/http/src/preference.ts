import type { FastifyReply, FastifyRequest } from 'fastify';

/** How a request with several values continues if one of them is rejected (RFC 7240, section 4.4). */
export type HandlingPreference = 'lenient' | 'strict';

/** Whether the answer has a body (RFC 7240, section 4.2). */
export type ReturnPreference = 'minimal' | 'representation';

type Headers = Pick<FastifyRequest, 'headers'>;

/** Returns the first known `handling` preference of the `Prefer` header. Other preferences are ignored. */
export function handlingOf(request: Headers): HandlingPreference | undefined {
  return preferred(request, 'handling', ['lenient', 'strict']);
}

/** Returns the first known `return` preference of the `Prefer` header. */
export function returnOf(request: Headers): ReturnPreference | undefined {
  return preferred(request, 'return', ['minimal', 'representation']);
}

function preferred<V extends string>({ headers }: Headers, name: string, known: readonly V[]): V | undefined {
  const asked = [headers.prefer ?? []].flat().join(',');
  // Split at commas; a comma or an equals sign in quotes belongs to a value.
  for (const [preference] of asked.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g)) {
    const [, given = '', value = ''] = /^\s*([a-z]+)\s*=\s*"?([a-z]*)"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (given.toLowerCase() !== name) continue;
    const found = known.find((one) => one === value.toLowerCase());
    if (found) return found;
  }
  return undefined;
}

/** Lists the applied preferences of the request in the answer's `Preference-Applied` header. */
export function setPreferenceApplied(
  reply: FastifyReply,
  {
    handling,
    returned,
  }: { handling?: HandlingPreference | undefined; returned?: ReturnPreference | undefined },
): void {
  const names = [handling && `handling=${handling}`, returned && `return=${returned}`].filter(Boolean);
  if (names.length > 0) void reply.header('preference-applied', names.join(', '));
}
