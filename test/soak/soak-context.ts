import type { HttpAnswer, SeededRandom, TestSystem } from '#testkit';
import { freshStream } from '../api.js';

/** The system under soak, and the data that every action needs. */
export interface SoakContext {
  stack: TestSystem;
  random: SeededRandom;
  /** Streams that are written all the time, and checked at the end. */
  streams: readonly string[];
  /** Detected faults as sentences: the soak fails with them. */
  findings: string[];
}

/** Statuses that a fault may cause; the caller repeats the request. */
const excused = new Set([408, 429, 503, 504]);

/**
 * Sends a request like a client that expects faults: returns undefined without an answer, or after a status that a
 * fault may cause. Any other unexpected answer is a finding.
 */
export async function ask(
  { stack, findings }: SoakContext,
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
    // The connection broke, or no answer arrived in time.
  }
  return undefined;
}

/** Returns a unique name of a definition. */
export function freshName(prefix: string): string {
  return freshStream(prefix).replaceAll('-', '_');
}
