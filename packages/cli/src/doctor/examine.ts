import { type Fetch, type Tributary } from '#client';
import type { ConnectionSettings } from '../connection/connection.js';
import { version } from '../version.js';
import { ask, clockFinding, versionFinding, type PortHealth } from './port-health.js';
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
import { scopesFinding } from './scopes.js';

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
