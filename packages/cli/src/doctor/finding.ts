/** The result of one check of `doctor`. */
export interface CheckResult {
  check: string;
  verdict: 'ok' | 'warning' | 'wrong';
  /** What the check has found, as a sentence. */
  detail: string;
  /** The recommended action; empty if none is needed. */
  advice: string;
}

export function ok(check: string, detail: string): CheckResult {
  return { check, verdict: 'ok', detail, advice: '' };
}

export function warning(check: string, detail: string, advice: string): CheckResult {
  return { check, verdict: 'warning', detail, advice };
}

export function wrong(check: string, detail: string, advice: string): CheckResult {
  return { check, verdict: 'wrong', detail, advice };
}
