import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests that a client may send on one connection before it has the answer to an earlier one. */
const mostPipelined = 100;

const queues = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Bounds pipelining (RFC 9112, 9.3.2), and closes the answers that wait for their turn when their connection closes: Node
 * closes only the one that is being sent, and whatever the others hold would be held for ever.
 */
export function boundPipelining(instance: FastifyInstance): void {
  const queue = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!response.socket) enqueue(socket, response);
  };
  instance.server.prependListener('request', queue);
  instance.server.prependListener('checkExpectation', queue);
}

function enqueue(socket: Socket, response: ServerResponse): void {
  const queue = queues.get(socket) ?? openQueue(socket);
  queue.add(response);
  response.once('socket', () => queue.delete(response));
  if (queue.size > mostPipelined) socket.destroy();
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
