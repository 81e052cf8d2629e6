import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Ends an answer that has begun and cannot be completed, by a reset of its connection: an answer without chunks would look
 * complete where the connection is closed in order (HTTP/1.0; RFC 9112, section 6.3).
 */
export function resetAnswer({ headersSent, socket }: Pick<ServerResponse, 'headersSent' | 'socket'>): void {
  if (headersSent && socket instanceof Socket) socket.resetAndDestroy();
}
