import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort, isPortTaken, portRange } from './free-port.js';

describe('a free port', () => {
  it('has no listener, and is returned once', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, freePort));
    expect(new Set(ports).size).toBe(20);
    expect(await Promise.all(ports.map((port) => isPortTaken(port)))).not.toContain(true);
  });

  it('is skipped when a process has started to listen on it', async () => {
    const server = createServer();
    const port = (await freePort()) + 1;
    await new Promise<void>((resolve) => {
      server.once('error', () => resolve());
      server.listen(port, '127.0.0.1', resolve);
    });
    expect(await freePort()).not.toBe(port);
    server.close();
  });

  it('is below the ports that the system uses for outgoing connections', () => {
    expect(portRange('32768\t60999\n')).toEqual({ first: 15_000, last: 31_999 });
    expect(portRange('20000\t65000\n')).toEqual({ first: 15_000, last: 19_999 });
    expect(portRange('1024\t65000\n')).toEqual({ first: 15_000, last: 31_999 });
    expect(portRange(undefined)).toEqual({ first: 15_000, last: 31_999 });
  });
});
