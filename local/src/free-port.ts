import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Below what systems give to outgoing connections by default: 32768 and up on Linux, 49152 and up elsewhere. */
const first = 15_000;
const last = 31_999;
const fewest = 1_000;

let next: number | undefined;

/**
 * A port of the loopback address that nobody listens on at the moment, and no other call in this process has been given.
 * It is none that the system gives to outgoing connections: any of them, of any process, could take it before it is
 * listened on.
 */
export async function freePort(): Promise<number> {
  const range = portRange(ephemeralRange());
  const count = range.last - range.first + 1;
  // Processes that choose at the same time each begin elsewhere.
  next ??= Math.floor(Math.random() * count);
  for (let tries = 0; tries < count; tries++) {
    const port = range.first + (next++ % count);
    if (!(await isPortTaken(port))) return port;
  }
  throw new Error(`No port between ${range.first} and ${range.last} is free`);
}

/** Where ports are chosen, given those of outgoing connections as Linux names them: `32768	60999`. */
export function portRange(ephemeral: string | undefined): { first: number; last: number } {
  const lowest = Number(/^(\d+)\s/.exec(ephemeral ?? '')?.[1] ?? Infinity);
  const below = Math.min(last, lowest - 1);
  // Where there is no room below, any port may be taken by a connection: the same as everywhere else then.
  return below - first + 1 >= fewest ? { first, last: below } : { first, last };
}

function ephemeralRange(): string | undefined {
  try {
    return readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether somebody listens on this port of the address, or of all. @throws when it is no address of this machine. */
export function isPortTaken(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(true);
      else reject(error);
    });
    server.listen(port, host, () => server.close(() => resolve(false)));
  });
}
