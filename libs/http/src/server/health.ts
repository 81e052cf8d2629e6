/** One thing that this process depends on. Resolves with details to show; throws when it does not work. */
export type HealthCheck = () => Promise<Record<string, unknown> | void>;

export interface HealthCheckOptions {
  /** A failing check turns `/health/ready` red. Default true. */
  readiness?: boolean;
  /** A failing check turns `/health/live` red: the process should be restarted. Default false. */
  liveness?: boolean;
  timeoutMs?: number;
}

export interface CheckResult {
  status: 'ok' | 'failing';
  error?: string;
  [detail: string]: unknown;
}

export interface HealthReport {
  healthy: boolean;
  checks: Record<string, CheckResult>;
}

interface Entry extends Required<HealthCheckOptions> {
  check: HealthCheck;
  freshUntil: number;
  result: Promise<CheckResult>;
}

/** Probes come from many sides: each check runs at most once in this time, in milliseconds. */
const freshMs = 1000;

/** The checks of one process. Whoever owns a dependency registers its check by name. */
export class Health {
  private readonly entries = new Map<string, Entry>();
  private readonly startedAt = performance.now();
  /** Set while the process starts or stops: `/health/ready` is red then. */
  unready: 'starting' | 'stopping' | undefined;

  constructor(readonly version = '0.0.0') {}

  get uptimeSeconds(): number {
    return Math.round((performance.now() - this.startedAt) / 1000);
  }

  /** Adds a check, or replaces the one of this name. A check that takes longer than `timeoutMs` (2 s) fails. */
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

  /** Runs the checks of a kind, or takes results that are not older than a second. */
  async report(kind: 'all' | 'readiness' | 'liveness'): Promise<HealthReport> {
    const chosen = [...this.entries].filter(([, entry]) => kind === 'all' || entry[kind]);
    const results = await Promise.all(
      chosen.map(async ([name, entry]) => [name, await resultOf(entry)] as const),
    );
    const passing = results.every(([, result]) => result.status === 'ok');
    const healthy = passing && (kind === 'liveness' || this.unready === undefined);
    return { healthy, checks: Object.fromEntries(results) };
  }
}

function resultOf(entry: Entry): Promise<CheckResult> {
  const now = performance.now();
  if (now < entry.freshUntil) return entry.result;
  // A check that hangs is not started again before its time-out.
  entry.freshUntil = now + Math.max(freshMs, entry.timeoutMs);
  entry.result = run(entry).finally(() => (entry.freshUntil = performance.now() + freshMs));
  return entry.result;
}

async function run({ check, timeoutMs }: Entry): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return { status: 'ok', ...(await Promise.race([check(), late])) };
  } catch (error) {
    return { status: 'failing', error: error instanceof Error ? error.message.slice(0, 200) : 'failed' };
  } finally {
    clearTimeout(timer);
  }
}
