import {
  InsufficientScopeError,
  AddressNotFoundError,
  ProblemError,
  SqlError,
  type CallOptions,
  type ApiKeyScope,
  type Tributary,
} from '#client';
import { ok, warning, wrong, type CheckResult } from './findings.js';

type Probe = (client: Tributary, options: CallOptions) => Promise<unknown>;

/** A request for each scope. It changes nothing: the server refuses an incomplete write after the scope check. */
const probes: Record<ApiKeyScope, Probe> = {
  'events:read': (client, options) => client.streams.list({ limit: 1 }, options).first(),
  'events:write': (client, options) => client.writeBatch([], options),
  'definitions:read': (client, options) => client.projections.list({ limit: 1 }, options).first(),
  'definitions:write': (client, options) => client.projections.define({} as never, options),
  'sql:read': async (client, options) => (await client.sql('SELECT 1', options)).all(),
  admin: (client, options) => client.keys.list({ limit: 1 }, options).first(),
};

/** Determines the scopes of the key. */
export async function scopesFinding(client: Tributary, signal: AbortSignal): Promise<CheckResult> {
  const check = 'key';
  const has: string[] = [];
  const lacks: string[] = [];
  try {
    for (const [scope, probe] of Object.entries(probes))
      ((await allows(probe, client, signal)) ? has : lacks).push(scope);
  } catch (error) {
    const advice = 'Set TRIBUTARY_KEY, or name a key file with --key-file.';
    return wrong(check, (error as Error).message, advice);
  }
  const detail = `The key has the scopes: ${has.join(', ') || 'nothing'}.`;
  if (lacks.length === 0) return ok(check, detail);
  const missing = `It does not have: ${lacks.join(', ')}. Use another key if you need them.`;
  return has.length > 0 ? { ...ok(check, detail), advice: missing } : warning(check, detail, missing);
}

/** Whether the key has the scope of this request. @throws ProblemError for an unknown key */
async function allows(probe: Probe, client: Tributary, signal: AbortSignal): Promise<boolean> {
  try {
    await probe(client, { signal });
  } catch (error) {
    // The core port has no SQL endpoint.
    if (error instanceof InsufficientScopeError || error instanceof AddressNotFoundError) return false;
    if (error instanceof SqlError) return true;
    if (!(error instanceof ProblemError) || error.status === 401) throw error;
  }
  return true;
}
