import { ProblemError, type ApiKeyScope } from '#client';
import { useResource } from './resource.js';
import { apiKey, client, mayWrite, settings } from './session.js';

/** A scope that the console asks for before it offers a change. */
type AskedScope = Extract<ApiKeyScope, 'admin' | 'definitions:write' | 'events:write'>;

/** Requests that need a scope and change nothing: the definition and the batch are empty, so they are never accepted. */
const requests: Record<AskedScope, (signal: AbortSignal) => Promise<unknown>> = {
  admin: (signal) => client.value.keys.list({ limit: 1 }, { signal }).first(),
  'definitions:write': (signal) =>
    client.value.pipelines.dryRun({ definition: { jsonText: '{}' }, events: [] }, { signal }),
  'events:write': (signal) => client.value.writeBatch([], { signal }),
};

/** What was found out about a key. */
const known = new Map<string, boolean>();

/** Returns whether the caller has a scope, and the port allows changes; false until it is known. */
export function useMay(scope: AskedScope): boolean {
  const skip = !mayWrite.value || settings.value?.keys === false;
  const found = useResource((signal) => hasScope(scope, signal), [scope], { skip });
  return mayWrite.value && (skip || found.data === true);
}

/** Asks once for each key. */
async function hasScope(scope: AskedScope, signal: AbortSignal): Promise<boolean> {
  const name = `${scope} ${apiKey.value}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  const has = await isAllowed(scope, signal);
  known.set(name, has);
  return has;
}

/** A key without the scope gets `insufficient_scope`; with it, the request succeeds or gets another problem. */
async function isAllowed(scope: AskedScope, signal: AbortSignal): Promise<boolean> {
  try {
    await requests[scope](signal);
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || ![400, 403, 422].includes(error.status)) throw error;
    return error.code !== 'insufficient_scope';
  }
}
