import { ProblemError } from '#client';
import { useResource } from './resource.js';
import { client, mayWrite } from './session.js';

/** Returns whether the caller has the scope `admin`, and the port allows changes; false until it is known. */
export function useMayAdminister(): boolean {
  return useResource(isAdmin, [], { skip: !mayWrite.value }).data === true;
}

/** The list of keys needs the scope `admin`. A key that has it and is limited to streams gets another problem. */
async function isAdmin(signal: AbortSignal): Promise<boolean> {
  try {
    await client.value.keys.list({ limit: 1 }, { signal }).first();
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 403) throw error;
    return error.code === 'stream_forbidden';
  }
}
