import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { HttpClient, until } from '#testkit';

/** Name of the program of the event store that the measure `PEER` compares with. */
export const peerProgram = 'allsource-core';
/** The time in milliseconds that the peer may take to stop. */
const stopMs = 10_000;

/** Returns the path of the peer's program; undefined if it is not on the PATH. */
export function programOnPath(path = process.env.PATH ?? ''): string | undefined {
  const programs = path.split(delimiter).map((folder) => join(folder, peerProgram));
  return programs.find((program) => {
    try {
      accessSync(program, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Starts the peer on a free port with its data in the folder. Its settings are its defaults, but it asks for no key, limits
 * no rate, and logs errors only, not a line for each event. Calls the function with it, and always stops it and removes
 * the folder.
 */
export async function withPeer<T>(
  { program, folder }: { program: string; folder: string },
  use: (peer: { url: string; version: string }) => Promise<T>,
): Promise<T> {
  const { freePort } = await import('#local');
  const port = String(await freePort());
  const settings = { ALLSOURCE_DATA_DIR: folder, ALLSOURCE_HOST: '127.0.0.1', ALLSOURCE_PORT: port };
  const child = spawn(program, {
    env: { ...process.env, ...settings, ALLSOURCE_AUTH_DISABLED: 'true', RUST_LOG: 'error' },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    return await use({ url, version: await versionOf(child, url) });
  } finally {
    await stop(child);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until the peer answers, and returns its version. @throws if it ends first */
async function versionOf(child: ChildProcess, url: string): Promise<string> {
  let health = '';
  const isHealthy = async () => {
    if (hasEnded(child)) throw new Error(`${peerProgram} ended before it was ready`);
    const answer = await new HttpClient(url).get('/health').catch(() => undefined);
    health = answer?.text ?? '';
    return answer?.status === 200;
  };
  await until(isHealthy, { what: `${peerProgram} is ready` });
  return (JSON.parse(health) as { version: string }).version;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), stopMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(force);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
