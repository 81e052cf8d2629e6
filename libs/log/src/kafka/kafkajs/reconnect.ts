import type { Socket } from 'node:net';
import type { RequestQueue } from './request-queue.js';

/** The parts of kafkajs/src/network/connection.js that are used here. */
export interface Connection {
  requestQueue: RequestQueue;
  socket?: Socket;
  chunks: Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  isConnected(): boolean;
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  processData(chunk: Buffer): void;
}

/** Of an answer's length, which comes first. */
const sizeBytes = 4;
const kafkajsEvents = ['data', 'end', 'error', 'timeout'];

/** A connection that was closed with nothing said about it. */
class ConnectionGoneError extends Error {
  override readonly name = 'ConnectionGoneError';
}

/**
 * What kafkajs leaves open when a connection is lost and made again:
 *
 * - The bytes of an answer that was cut off stay in its buffer: the answers of the new connection are appended to them,
 *   and every one from then on is misread, for good.
 * - Several who need it at once each open a socket, of which one is used: when the others go, so does that one, or
 *   requests are written to one that is dead and wait for ever.
 * - What happens to the old socket later ends the new connection.
 * - A socket that closes without an end or an error leaves its requests waiting.
 * - Bytes that are no answer throw where nobody catches it, which ends the process: here they end the connection.
 */
export function patchReconnect({ prototype }: { prototype: Connection }): void {
  const connect = Reflect.get<Connection, 'connect'>(prototype, 'connect');
  const connecting = new WeakMap<Connection, Promise<unknown>>();

  prototype.connect = function (this: Connection): Promise<unknown> {
    if (this.isConnected()) return Promise.resolve(true);
    const running = connecting.get(this);
    if (running) return running;
    forget(this);
    this.requestQueue.connection = this;
    const opening = connect.call(this).finally(() => connecting.delete(this));
    connecting.set(this, opening);
    watch(this);
    return opening;
  };

  const processData = Reflect.get<Connection, 'processData'>(prototype, 'processData');
  prototype.processData = function (this: Connection, chunk: Buffer): void {
    try {
      processData.call(this, chunk);
    } catch (error) {
      this.socket?.destroy(error as Error);
    }
  };
}

/** Nothing that comes from the socket before has to do with this connection any more. */
function forget(connection: Connection): void {
  connection.chunks = [];
  connection.bytesBuffered = 0;
  connection.bytesNeeded = sizeBytes;
  const { socket } = connection;
  if (!socket) return;
  for (const event of kafkajsEvents) socket.removeAllListeners(event);
  socket.on('error', () => undefined);
  socket.destroy();
}

function watch(connection: Connection): void {
  const { socket } = connection;
  socket?.once('close', () => {
    if (connection.socket !== socket || !connection.isConnected()) return;
    connection.requestQueue.rejectAll(new ConnectionGoneError('the connection was closed'));
    void connection.disconnect();
  });
}
