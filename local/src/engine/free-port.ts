import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Milliseconds for which a reservation holds at least. */
const periodMs = 600_000;

/**
 * Reservations of ports that all processes of a user share, as empty files in one folder. A reservation lasts ten to twenty
 * minutes, and longer if others try meanwhile: until then the process that reserved the port listens on it. Each period has a folder of its own, so
 * no process ever removes a reservation that another one has just made.
 */
export class PortReservations {
  constructor(
    private readonly folder: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Reserves a port. Returns false if a process, or this one, has reserved it already. */
  async reserve(port: number): Promise<boolean> {
    const period = Math.floor(this.now() / periodMs);
    const current = join(this.folder, String(period));
    if (await mkdir(current, { recursive: true, mode: 0o700 })) await this.removeBefore(period - 1);
    if (!(await isCreated(join(current, String(port))))) return false;
    return !existsSync(join(this.folder, String(period - 1), String(port)));
  }

  private async removeBefore(period: number): Promise<void> {
    const old = (await readdir(this.folder)).filter((name) => Number(name) < period);
    await Promise.all(old.map((name) => rm(join(this.folder, name), { recursive: true, force: true })));
  }
}

/** Creates a file; returns false if it exists. */
async function isCreated(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Below the ports that systems use for outgoing connections by default: 32768 and up on Linux, 49152 and up
 * elsewhere.
 */
const first = 15_000;
const last = 31_999;
const fewest = 1_000;

let next: number | undefined;
const reservations = new PortReservations(join(tmpdir(), `tributary-ports-${userInfo().uid}`));

/**
 * Returns a port of the loopback address without a listener that no other call in any process of this user has returned
 * within the last ten minutes. The port is outside the range for outgoing connections, because an outgoing connection of
 * any process could take such a port before the caller listens on it.
 */
export async function freePort(): Promise<number> {
  const range = portRange(ephemeralRange());
  const count = range.last - range.first + 1;
  // Processes that choose at the same time begin at different ports.
  next ??= Math.floor(Math.random() * count);
  for (let tries = 0; tries < count; tries++) {
    const port = range.first + (next++ % count);
    if (!(await isPortTaken(port)) && (await reservations.reserve(port))) return port;
  }
  throw new Error(`No port between ${range.first} and ${range.last} is free`);
}

/** Returns the range of ports to choose from, given Linux's range for outgoing connections: `32768	60999`. */
export function portRange(ephemeral: string | undefined): { first: number; last: number } {
  const lowest = Number(/^(\d+)\s/.exec(ephemeral ?? '')?.[1] ?? Infinity);
  const below = Math.min(last, lowest - 1);
  // Without enough room below, the default range is used, in which an outgoing connection may take a port.
  return below - first + 1 >= fewest ? { first, last: below } : { first, last };
}

function ephemeralRange(): string | undefined {
  try {
    return readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Whether a process listens on this port of the address, or of all addresses. @throws if the address does not belong
 * to this machine.
 */
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

/** Matches the error of a process whose port was taken by another process before it listened. */
const portTaken = /Address already in use|EADDRINUSE/;

/**
 * Runs `start`, which chooses ports itself, and repeats it if one of them was taken before it listened.
 * @throws the error of `start`: at once if it has another cause, or after the third attempt.
 */
export async function retryOnTakenPort<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      // A process that ends reports its error only in its output.
      if (tries >= 3 || !portTaken.test(String(error))) throw error;
    }
  }
}
