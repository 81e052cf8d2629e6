import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Maximum number of requests that a client may send on one connection without waiting for their answers. */
const mostPipelined = 100;

const queues = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Disconnects clients that pipeline more than 100 requests (RFC 9112, section 9.3.2), and closes all waiting answers of
 * a connection when it closes. Node closes only the answer that is being sent, so the resources of the others would
 * never be freed.
 */
export function boundPipelining(instance: FastifyInstance): void {
  const enqueue = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket) return;
    const queue = queues.get(socket) ?? openQueue(socket);
    queue.add(response);
    response.once('socket', () => queue.delete(response));
    if (queue.size > mostPipelined) socket.destroy();
  };
  instance.server.prependListener('request', enqueue);
  instance.server.prependListener('checkExpectation', enqueue);
}

function openQueue(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const response of queue) {
      response.destroy();
      response.emit('close');
    }
    queue.clear();
  });
  return queue;
}
