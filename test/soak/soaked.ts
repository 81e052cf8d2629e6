import type { HttpAnswer, Random, Stack } from '#testkit';
import { freshStream } from '../api.js';

/** What is soaked: the system, and what every action needs. */
export interface Soaked {
  stack: Stack;
  random: Random;
  /** They are written all the time, and checked at the end. */
  streams: readonly string[];
  /** What should not be, as sentences: the soak fails with them. */
  findings: string[];
}

/** Answers that a fault may lead to; whoever asked asks again. */
const excused = new Set([408, 429, 503, 504]);

/**
 * Sends a request as a client would that knows of faults: undefined when there is no answer, or a 503 or 504. Any other
 * answer but those that are expected is a finding.
 */
export async function ask(
  { stack, findings }: Soaked,
  ...[method, path, body, expected = [200, 201]]: [
    method: string,
    path: string,
    body?: object,
    expected?: number[],
  ]
): Promise<HttpAnswer | undefined> {
  const json = { headers: { 'content-type': 'application/json' } };
  try {
    const answer = await stack.query.send(method, path, {
      ...(body && { body: JSON.stringify(body), ...json }),
      timeoutMs: 20_000,
    });
    if (expected.includes(answer.status)) return answer;
    if (!excused.has(answer.status))
      findings.push(`unexpected answer: ${method} ${path}: ${answer.status} ${answer.text.slice(0, 400)}`);
  } catch {
    // The connection broke, or nothing came in time.
  }
  return undefined;
}

/** A name of a definition that nobody else uses. */
export function freshName(prefix: string): string {
  return freshStream(prefix).replaceAll('-', '_');
}
