import type { FastifyReply, FastifyRequest } from 'fastify';

type Headers = Pick<FastifyRequest, 'headers'>;

/**
 * Returns the first known `handling` preference in the `Prefer` header (RFC 7240, section 4.4); undefined if there is
 * none. `lenient` asks to write the valid events and to keep the invalid ones as dead letters, `strict` to write all
 * events or none. Each route decides which of the two it applies.
 */
export function handlingOf(request: Headers): 'lenient' | 'strict' | undefined {
  return preferred(request, 'handling', ['lenient', 'strict']);
}

/**
 * Returns the first known `return` preference in the `Prefer` header (RFC 7240, section 4.2); undefined if there is none.
 * `representation` asks for an answer with a body, `minimal` for one without.
 */
export function returnOf(request: Headers): 'minimal' | 'representation' | undefined {
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
  { handling, returned }: { handling?: string | undefined; returned?: string | undefined },
): void {
  const names = [handling && `handling=${handling}`, returned && `return=${returned}`].filter(Boolean);
  if (names.length > 0) void reply.header('preference-applied', names.join(', '));
}
