import { connect } from 'node:net';

/** The text that the socket received, and its status (0 if nothing was received). */
interface RawAnswer {
  status: number;
  text: string;
}

/** Sends bytes unchanged. Resolves with the received text when the server closes the connection or the time is over. */
export function rawHttp(url: string, bytes: string | Buffer, timeoutMs = 5_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const finish = () => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    socket.setTimeout(timeoutMs, finish);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', finish);
    socket.on('close', finish);
  });
}
