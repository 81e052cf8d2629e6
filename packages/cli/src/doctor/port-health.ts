import { Tributary, type Fetch, type Health } from '#client';
import { ok, warning, wrong, type CheckResult } from './findings.js';

/** The answer of a port to a health request. */
export interface PortHealth {
  health: Health;
  /** Milliseconds by which the server's clock is ahead of this one; undefined if the answer has no `Date`. */
  aheadMs: number | undefined;
}

/** Seconds by which the clocks may differ; the `Date` of an answer has only whole seconds. */
const mostSeconds = 5;

/** Sends a health request to a port. @throws TributaryError */
export async function ask(
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

export function clockFinding(check: string, { aheadMs }: PortHealth): CheckResult {
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
