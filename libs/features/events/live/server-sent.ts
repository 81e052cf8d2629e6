import type { ProblemError } from '#api';

/**
 * The texts of Server-Sent Events (HTML Living Standard, 9.2). The parts of which a Server-Sent Event is composed
 * contain no line breaks.
 */

/**
 * Returns the Server-Sent Event for one event, whose JSON is on one line. If `id` is undefined, a client that
 * reconnects resumes from the id of an earlier message.
 */
export function eventMessage(json: string, id: string | undefined): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: event\ndata: ${json}\n\n`;
}

/**
 * Returns the first text of a stream: the client resumes from this position even if it has received no event. The text
 * has no data, so the client sees no message.
 */
export function startMessage(position: string): string {
  return `retry: 1000\nid: ${position}\n\n`;
}

/**
 * Returns the id of a position up to which everything has been sent. This Server-Sent Event has no data, so the client
 * sees no message.
 */
export function positionMessage(position: string): string {
  return `id: ${position}\n\n`;
}

/**
 * Returns a heartbeat. The position in a heartbeat includes events that did not match the filters, so these are not
 * read again after a reconnect.
 */
export function heartBeat(position: string): string {
  return `: heart-beat\nid: ${position}\n\n`;
}

/**
 * Returns the message that gives the reason why the stream ends.
 * @param retryMs milliseconds after which the client connects again
 */
export function errorMessage(
  problem: ProblemError,
  { requestId, retryMs }: { requestId: string; retryMs: number },
): string {
  const document = JSON.stringify({ ...problem.toDocument(), request_id: requestId });
  return `retry: ${Math.round(retryMs)}\nevent: error\ndata: ${document}\n\n`;
}
