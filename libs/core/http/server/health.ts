import { within } from '#async';

/** Checks a dependency. Resolves with details, perhaps with `status: 'degraded'`; throws when it does not work. */
type HealthCheck = () => Promise<Record<string, unknown> | void>;

interface HealthCheckOptions {
  /** Makes `/health/ready` fail when the check fails. Default true. */
  readiness?: boolean;
  /** Makes `/health/live` fail when the check fails, so that the process is restarted. Default false. */
  liveness?: boolean;
  timeoutMs?: number;
}

/** Result of one health check, with the details or the error that the health routes show. */
export interface CheckResult {
  /** `degraded`: the process works, but an operator must act. */
  status: 'ok' | 'degraded' | 'failing';
  error?: string;
  [detail: string]: unknown;
}

/** Results of several health checks by name, and whether the health route reports success. */
export interface HealthReport {
  healthy: boolean;
  checks: Record<string, CheckResult>;
}

interface Entry extends Required<HealthCheckOptions> {
  check: HealthCheck;
  freshUntil: number;
  result: Promise<CheckResult>;
}

/** Milliseconds for which the result of a health check is reused, because many probes may ask. */
const freshMs = 1000;

/** Returns the results of the health checks of further threads of the process, each by the name of the check. */
type ChecksOfThreads = (kind: HealthKind) => Promise<readonly Record<string, CheckResult>[]>;

/** All checks, or those that decide whether the process is ready, or alive. */
export type HealthKind = 'all' | 'readiness' | 'liveness';

const badness = { ok: 0, degraded: 1, failing: 2 };

/** The health checks of one process. The owner of a dependency registers its check by name. */
export class Health {
  private readonly entries = new Map<string, Entry>();
  private readonly startedAt = performance.now();
  /** Set while the process starts or stops: `/health/ready` fails then. */
  unready: 'starting' | 'stopping' | undefined;

  /** The checks of further threads; of each name, the worst result of all threads is reported. */
  ofThreads: ChecksOfThreads = () => Promise.resolve([]);

  constructor(readonly version = '0.0.0') {}

  get uptimeSeconds(): number {
    return Math.round((performance.now() - this.startedAt) / 1000);
  }

  /** Adds or replaces the health check with this name. It fails if it takes longer than `timeoutMs` (default 2000). */
  register(name: string, check: HealthCheck, options: HealthCheckOptions = {}): void {
    this.entries.set(name, {
      readiness: true,
      liveness: false,
      timeoutMs: 2000,
      ...options,
      check,
      freshUntil: 0,
      result: Promise.resolve({ status: 'ok' }),
    });
  }

  /** Runs the health checks of a kind. Results that are at most a second old are reused. */
  async report(kind: HealthKind): Promise<HealthReport> {
    const chosen = [...this.entries].filter(([, entry]) => kind === 'all' || entry[kind]);
    const [results, others] = await Promise.all([
      Promise.all(chosen.map(async ([name, entry]) => [name, await resultOf(entry)] as const)),
      this.ofThreads(kind),
    ]);
    const checks: Record<string, CheckResult> = Object.fromEntries(results);
    for (const [name, result] of others.flatMap((other) => Object.entries(other))) {
      const known = checks[name];
      if (!known || badness[result.status] > badness[known.status]) checks[name] = result;
    }
    const passing = Object.values(checks).every((result) => result.status !== 'failing');
    const healthy = passing && (kind === 'liveness' || this.unready === undefined);
    return { healthy, checks };
  }
}

function resultOf(entry: Entry): Promise<CheckResult> {
  const now = performance.now();
  if (now < entry.freshUntil) return entry.result;
  // Do not start a check again while it hangs, before its time-out.
  entry.freshUntil = now + Math.max(freshMs, entry.timeoutMs);
  entry.result = run(entry).finally(() => (entry.freshUntil = performance.now() + freshMs));
  return entry.result;
}

async function run({ check, timeoutMs }: Entry): Promise<CheckResult> {
  try {
    const late = () => {
      throw new Error(`no answer within ${timeoutMs} ms`);
    };
    return { status: 'ok', ...(await within(timeoutMs, check(), late)) };
  } catch (error) {
    return { status: 'failing', error: error instanceof Error ? error.message.slice(0, 200) : 'failed' };
  }
}
