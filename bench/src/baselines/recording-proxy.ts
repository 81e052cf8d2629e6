import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { requestBytes } from '../http/connection.js';

/**
 * A proxy between the gateway and ClickHouse that records requests. Sending the same bytes to ClickHouse again
 * measures the same SQL without the gateway, whatever the gateway's code does.
 */
export class RecordingProxy {
  private recorded: Buffer[] = [];
  private readonly server = createServer((incoming, outgoing) => void this.pass(incoming, outgoing));

  constructor(private readonly target: string) {}

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Returns the requests since the last call, each as bytes. */
  take(): Buffer[] {
    const taken = this.recorded;
    this.recorded = [];
    return taken;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { host, hostname, port } = new URL(this.target);
    const body = await buffer(incoming);
    const { method = 'GET', url: path = '/' } = incoming;
    const { connection: _hop, host: _old, 'transfer-encoding': _framing, ...rest } = incoming.headers;
    const headers = rest as Record<string, string>;
    if (method === 'POST') {
      const { 'content-length': _length, ...kept } = headers;
      this.recorded.push(requestBytes({ method, path, host, headers: kept, body }));
    }
    const onward = request({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  }
}
