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

/** One keep-alive connection that carries one request at a time. */
export class KeepAliveConnection {
  private waiting: Waiting | undefined;
  private readonly parser: ResponseParser;

  private constructor(
    private readonly socket: Socket,
    options: { keepBody: boolean },
  ) {
    this.parser = new ResponseParser(options);
    socket.on('data', (piece: Buffer) => this.take(piece));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('the server closed the connection')));
  }

  static async open(url: string, options: { keepBody: boolean }): Promise<KeepAliveConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new KeepAliveConnection(socket, options);
  }

  /** Sends the request and resolves with its answer. Rejects if the connection breaks. */
  send(bytes: Buffer): Promise<ParsedResponse> {
    return new Promise((resolve, reject) => {
      if (this.waiting) return reject(new Error('a request is waiting for its answer already'));
      this.waiting = { resolve, reject };
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private take(piece: Buffer): void {
    try {
      const response = this.parser.push(piece);
      if (response) this.settle()?.resolve(response);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private fail(error: Error): void {
    this.settle()?.reject(error);
  }

  private settle(): Waiting | undefined {
    const waiting = this.waiting;
    this.waiting = undefined;
    return waiting;
  }
}
