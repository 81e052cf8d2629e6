import { ProblemError, type ApiKeyScope } from '#client';
import { useResource } from './resource.js';
import { apiKey, client, mayWrite, settings } from './session.js';

/** A scope that the console asks for before it offers a change. */
type AskedScope = Extract<ApiKeyScope, 'admin' | 'definitions:write' | 'events:write'>;

/** Requests that need a scope and change nothing: the definition and the batch are empty, so they are never accepted. */
const requests: Record<AskedScope, () => Promise<unknown>> = {
  admin: () => client.value.keys.list({ limit: 1 }).first(),
  'definitions:write': () => client.value.pipelines.dryRun({ definition: { jsonText: '{}' }, events: [] }),
  'events:write': () => client.value.writeBatch([]),
};

/** What was asked about the key of this session. */
const asked = new Map<AskedScope, Promise<boolean>>();
apiKey.subscribe(() => asked.clear());

/** Returns whether the caller has a scope, and the port allows changes; false until it is known. */
export function useMay(scope: AskedScope): boolean {
  const skip = !mayWrite.value || settings.value?.keys === false;
  const found = useResource(() => hasScope(scope), [scope], { skip });
  return mayWrite.value && (skip || found.data === true);
}

/** Asks once in a session, for all components. What failed is asked again. */
function hasScope(scope: AskedScope): Promise<boolean> {
  const before = asked.get(scope);
  if (before) return before;
  const answer = isAllowed(scope);
  asked.set(scope, answer);
  answer.catch(() => asked.get(scope) === answer && asked.delete(scope));
  return answer;
}

/** A key without the scope gets `insufficient_scope`; with it, the request succeeds or gets another problem. */
async function isAllowed(scope: AskedScope): Promise<boolean> {
  try {
    await requests[scope]();
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || ![400, 403, 422].includes(error.status)) throw error;
    return error.code !== 'insufficient_scope';
  }
}
