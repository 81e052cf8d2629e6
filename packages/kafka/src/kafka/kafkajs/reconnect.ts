import type { Socket } from 'node:net';
import type { KafkajsRequestQueue } from './request-queue.js';

/** The parts of kafkajs/src/network/connection.js that this patch uses. */
export interface KafkajsConnection {
  requestQueue: KafkajsRequestQueue;
  socket?: Socket;
  chunks: Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  isConnected(): boolean;
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  processData(chunk: Buffer): void;
}

/** Size of the length field at the start of a response, in bytes. */
const sizeBytes = 4;
const kafkajsEvents = ['data', 'end', 'error', 'timeout'];

/** Error of the requests on a connection that was closed without an end or an error. */
class ConnectionGoneError extends Error {
  override readonly name = 'ConnectionGoneError';
}

/**
 * Patches what kafkajs leaves behind when a connection is lost and reopened:
 *
 * - The bytes of a response that was cut off remain in its buffer. kafkajs appends the responses of the new connection
 *   to them, and misreads every response from then on.
 * - Concurrent callers each open a socket, and only one socket is used. When the others close, kafkajs closes the used
 *   one too, or writes requests to a dead socket, where they wait for ever.
 * - Later events of the old socket close the new connection.
 * - A socket that closes without an end or an error leaves its requests waiting.
 * - Bytes that are not a response cause an uncaught exception, which ends the process. The patch closes the connection
 *   instead.
 */
export function patchReconnect({ prototype }: { prototype: KafkajsConnection }): void {
  const connect = Reflect.get<KafkajsConnection, 'connect'>(prototype, 'connect');
  const connecting = new WeakMap<KafkajsConnection, Promise<unknown>>();

  prototype.connect = function (this: KafkajsConnection): Promise<unknown> {
    if (this.isConnected()) return Promise.resolve(true);
    const running = connecting.get(this);
    if (running) return running;
    forget(this);
    this.requestQueue.connection = this;
    const before = this.socket;
    const opening = connect.call(this).finally(() => connecting.delete(this));
    connecting.set(this, opening);
    // Without a new socket, the attempt has failed already.
    if (this.socket !== before) watch(this);
    return opening;
  };

  const processData = Reflect.get<KafkajsConnection, 'processData'>(prototype, 'processData');
  prototype.processData = function (this: KafkajsConnection, chunk: Buffer): void {
    try {
      processData.call(this, chunk);
    } catch (error) {
      this.socket?.destroy(error as Error);
    }
  };
}

/** Discards the buffer and the events of the previous socket, so that they cannot affect the new connection. */
function forget(connection: KafkajsConnection): void {
  connection.chunks = [];
  connection.bytesBuffered = 0;
  connection.bytesNeeded = sizeBytes;
  const { socket } = connection;
  if (!socket) return;
  for (const event of kafkajsEvents) socket.removeAllListeners(event);
  socket.on('error', () => undefined);
  socket.destroy();
}

function watch(connection: KafkajsConnection): void {
  const { socket } = connection;
  socket?.once('close', () => {
    if (connection.socket !== socket || !connection.isConnected()) return;
    connection.requestQueue.rejectAll(new ConnectionGoneError('the connection was closed'));
    void connection.disconnect();
  });
}
