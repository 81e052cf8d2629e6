import {
  type Fetch,
  Tributary,
  type Health,
  InsufficientScopeError,
  AddressNotFoundError,
  ProblemError,
  SqlError,
  TooManyRequestsError,
  type CallOptions,
  type ApiKeyScope,
} from '#client';
import type { ConnectionSettings } from '../connection/connection.js';
import { version } from '../version.js';
import {
  deadLetterFindings,
  ok,
  warning,
  wrong,
  type CheckResult,
  definitionFindings,
  healthFindings,
  lagFindings,
} from './findings.js';

/** What `tributary doctor` checks: the connection and the client. */
interface DoctorInput {
  connection: ConnectionSettings;
  client: Tributary;
  fetch: Fetch;
  signal: AbortSignal;
}

/**
 * Runs the checks of `tributary doctor` in order: both URLs, clock, version, API key, health, lag, definitions and
 * dead letters. If the URL of the API does not answer, the checks that need a key are left out.
 */
export async function* runChecks(patient: DoctorInput): AsyncGenerator<CheckResult> {
  const { url, ingestUrl } = patient.connection;
  const answers = new Map<string, PortHealth>();
  for (const address of new Set([url, ingestUrl])) {
    const check = address === url ? 'address of the API' : 'address for events';
    yield await addressFinding(patient, { check, address, answers });
  }
  for (const [address, answering] of answers) yield clockFinding(`clock of ${address}`, answering);
  if (answers.size > 0)
    yield versionFinding(
      [...answers.values()].map(({ health }) => health.version),
      version,
    );
  if (answers.has(url)) yield* withKey(patient);
}

async function addressFinding(
  patient: DoctorInput,
  { check, address, answers }: { check: string; address: string; answers: Map<string, PortHealth> },
): Promise<CheckResult> {
  try {
    answers.set(address, await ask(address, patient));
    return ok(check, `${address} answers.`);
  } catch (error) {
    patient.signal.throwIfAborted();
    const advice = `Is it running, and is the URL correct? See --url, --ingest-url and \`tributary profile list\`.`;
    return wrong(check, (error as Error).message, advice);
  }
}

async function* withKey({ client, signal }: DoctorInput): AsyncGenerator<CheckResult> {
  const key = await scopesFinding(client, signal);
  yield key;
  const health = await client.health(undefined, { signal });
  yield* healthFindings(health);
  yield* lagFindings(health);
  if (key.verdict === 'wrong') return;
  yield* await definitionFindings(client, signal).catch((error: Error) => [
    warning('definitions', error.message, 'The key needs the scope definitions:read to see them.'),
  ]);
  yield* await deadLetterFindings(client, signal).catch((error: Error) => [
    warning('dead letters', error.message, 'The key needs the scope events:read to see them.'),
  ]);
}

/** The answer of a port to a health request. */
interface PortHealth {
  health: Health;
  /** Milliseconds by which the server's clock is ahead of this one; undefined if the answer has no `Date`. */
  aheadMs: number | undefined;
}

/** Seconds by which the clocks may differ; the `Date` of an answer has only whole seconds. */
const mostSeconds = 5;

/** Sends a health request to a port. @throws TributaryError */
async function ask(
  url: string,
  { fetch, signal }: { fetch: Fetch; signal: AbortSignal },
): Promise<PortHealth> {
  let aheadMs: number | undefined;
  const timed: Fetch = async (address, init) => {
    const response = await fetch(address, init);
    const date = Date.parse(response.headers.get('date') ?? '');
    aheadMs = Number.isNaN(date) ? undefined : date - Date.now();
    return response;
  };
  const client = new Tributary({ url, fetch: timed, timeoutMs: 10_000 });
  const health = await client.health('live', { signal });
  return { health, aheadMs };
}

function clockFinding(check: string, { aheadMs }: PortHealth): CheckResult {
  if (aheadMs === undefined)
    return warning(check, 'The answer has no Date.', 'A proxy removes it; configure the proxy to keep it.');
  const seconds = Math.round(aheadMs / 1000);
  if (Math.abs(seconds) <= mostSeconds) return ok(check, 'The clocks agree.');
  const side = seconds > 0 ? 'ahead of' : 'behind';
  const detail = `The clock of the server is ${Math.abs(seconds)} s ${side} this one.`;
  return warning(check, detail, "Synchronise both clocks (NTP): --since and --until use the server's time.");
}

export function versionFinding(versions: readonly string[], own: string): CheckResult {
  const check = 'versions';
  const servers = [...new Set(versions)];
  if (servers.every((server) => server === 'unknown'))
    return ok(check, `The server was built without a version; this program is ${own}.`);
  const said = `server ${servers.join(' and ')}, this program ${own}`;
  if (servers.length > 1)
    return wrong(check, said, 'An update is incomplete: bring every app to one version.');
  const [server = ''] = servers;
  if (minorOf(server) === minorOf(own)) return ok(check, said);
  return warning(check, said, `Use the version of the server: npm install --global @tributary/cli@${server}`);
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

type Probe = (client: Tributary, options: CallOptions) => Promise<unknown>;

/** A request for each scope. It changes nothing: the server refuses an incomplete write after the scope check. */
const probes: Record<ApiKeyScope, Probe> = {
  'events:read': (client, options) => client.streams.list({ limit: 1 }, options).first(),
  'events:write': (client, options) => client.writeBatch([], options),
  'definitions:read': (client, options) => client.projections.list({ limit: 1 }, options).first(),
  'definitions:write': (client, options) => client.projections.define({} as never, options),
  'subscriptions:consume': (client, options) => client.subscription('doctor').settle({}, options),
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

/** Repeats a request that exceeds the rate limit of the key, three times at most. */
async function unlimited(request: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (let time = 1; ; time++) {
    try {
      return void (await request());
    } catch (error) {
      if (!(error instanceof TooManyRequestsError) || time > 3) throw error;
      const seconds = Math.min(error.retryAfterSeconds ?? 1, 2);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      signal.throwIfAborted();
    }
  }
}

/** Whether the key has the scope of this request. @throws ProblemError for an unknown key */
async function allows(probe: Probe, client: Tributary, signal: AbortSignal): Promise<boolean> {
  try {
    await unlimited(() => probe(client, { signal }), signal);
  } catch (error) {
    // The core port has no SQL endpoint.
    if (error instanceof InsufficientScopeError || error instanceof AddressNotFoundError) return false;
    if (error instanceof SqlError) return true;
    if (!(error instanceof ProblemError) || [401, 429].includes(error.status)) throw error;
  }
  return true;
}
