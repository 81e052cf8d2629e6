/** What the doctor says of one thing. */
export interface Finding {
  check: string;
  verdict: 'ok' | 'warning' | 'wrong';
  /** What was found. */
  detail: string;
  /** What to do about it; empty where nothing is to be done. */
  advice: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, verdict: 'ok', detail, advice: '' };
}

export function warning(check: string, detail: string, advice: string): Finding {
  return { check, verdict: 'warning', detail, advice };
}

export function wrong(check: string, detail: string, advice: string): Finding {
  return { check, verdict: 'wrong', detail, advice };
}
