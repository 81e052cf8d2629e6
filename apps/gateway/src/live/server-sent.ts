import type { ProblemError } from '#api';
import type { LiveEvent } from './live-event.js';
import type { LivePosition } from './live-position.js';

/** The texts of Server-Sent Events (HTML Living Standard, 9.2). Nothing in them has a line break of its own. */

/** One event. */
export function eventMessage(position: LivePosition, event: LiveEvent): string {
  return `id: ${position.toString()}\nevent: event\ndata: ${event.json}\n\n`;
}

/** Where a stream begins: the client goes on from here, also when nothing has come. A message without data is no message. */
export function beginning(position: string): string {
  return `retry: 1000\nid: ${position}\n\n`;
}

/** Shows that the stream lives, and how far it is: what did not match is not looked at again. */
export function heartBeat(position: string): string {
  return `: heart-beat\nid: ${position}\n\n`;
}

/** Why the stream ends. @param retryMs Milliseconds after which the client comes again. */
export function errorMessage(
  problem: ProblemError,
  { requestId, retryMs }: { requestId: string; retryMs: number },
): string {
  const document = JSON.stringify({ ...problem.toDocument(), request_id: requestId });
  return `retry: ${Math.round(retryMs)}\nevent: error\ndata: ${document}\n\n`;
}
