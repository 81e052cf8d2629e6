import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ResponseParser, type ParsedResponse } from './response-parser.js';

/** Returns the bytes of a request, which are prepared once and sent many times. */
export function requestBytes(request: {
  method: 'GET' | 'POST';
  /** The path with the query string. */
  path: string;
  host: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}): Buffer {
  const body = Buffer.from(request.body ?? '');
  const headers = Object.entries({
    host: request.host,
    ...request.headers,
    ...(request.method === 'POST' && { 'content-length': String(body.length) }),
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${head}\r\n`), body]);
}

interface Waiting {
  resolve: (response: ParsedResponse) => void;
  reject: (error: Error) => void;
}

/**
 * A keep-alive connection that carries one request at a time. A server closes connections that are idle: `send` opens a
 * new one if the last one was closed.
 */
export class KeepAliveConnection {
  private waiting: Waiting | undefined;

  private constructor(
    private readonly url: string,
    private readonly options: { keepBody: boolean },
    private socket: Socket,
  ) {
    this.receive(socket);
  }

  static async open(url: string, options: { keepBody: boolean }): Promise<KeepAliveConnection> {
    return new KeepAliveConnection(url, options, await connected(url));
  }

  /** Sends the request and resolves with its answer. Rejects if the connection breaks before the answer is complete. */
  async send(bytes: Buffer): Promise<ParsedResponse> {
    if (this.waiting) throw new Error('a request is waiting for its answer already');
    if (!this.socket.writable || this.socket.readableEnded) {
      this.socket.destroy();
      this.socket = await connected(this.url);
      this.receive(this.socket);
    }
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  /** Parses what the socket receives; its end rejects the request that waits. */
  private receive(socket: Socket): void {
    const parser = new ResponseParser(this.options);
    const fail = (error: Error) => {
      if (socket === this.socket) this.settle()?.reject(error);
    };
    socket.on('data', (piece: Buffer) => {
      try {
        // An answer without a request ends an idle connection: 408.
        if (!this.waiting) return void socket.destroy();
        const response = parser.push(piece);
        if (response) this.settle()?.resolve(response);
      } catch (error) {
        fail(error as Error);
      }
    });
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the server closed the connection')));
  }

  private settle(): Waiting | undefined {
    const waiting = this.waiting;
    this.waiting = undefined;
    return waiting;
  }
}

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}
