import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Resets the connection of an answer that has begun and cannot be completed. With HTTP/1.0, an answer without chunked
 * encoding would look complete after an orderly close (RFC 9112, section 6.3).
 */
export function resetAnswer({ headersSent, socket }: Pick<ServerResponse, 'headersSent' | 'socket'>): void {
  if (headersSent && socket instanceof Socket) socket.resetAndDestroy();
}
