import type { ProblemError } from '#api';

/** The texts of Server-Sent Events (HTML Living Standard, 9.2). Nothing in them has a line break of its own. */

/** One event, whose JSON is on one line. Without an id, the client goes on from the id before. */
export function eventMessage(json: string, id: string | undefined): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: event\ndata: ${json}\n\n`;
}

/** Where a stream begins: the client goes on from here, also when nothing has come. A message without data is no message. */
export function beginning(position: string): string {
  return `retry: 1000\nid: ${position}\n\n`;
}

/** Everything up to this position has been sent: an id without data is no message. */
export function reached(position: string): string {
  return `id: ${position}\n\n`;
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
