import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ManagedChildProcess,
  type ManagedChildProcessOptions,
  type RunningProcess,
} from './engine/engine-process.js';
import { root } from './kafka/jars.js';

/** How to start one of the apps (ingest, materializer, processor, gateway) as a local process. */
interface AppStartOptions extends Omit<ManagedChildProcessOptions, 'command' | 'args'> {
  /** Base URL of the app's `/health/ready`: `http://host:port`. */
  url: string;
}

/** Returns the file that Node runs as this app: its bundle, which `apps/bundle.mjs` makes. */
export function appProgram(name: string): string {
  return join(root, 'dist', 'bundle', `${name}.js`);
}

/** Starts an app and resolves when it is ready. @throws an Error with the app's last lines if it ends instead. */
export async function startApp(options: AppStartOptions): Promise<RunningProcess> {
  const main = appProgram(options.name);
  if (!existsSync(main)) throw new Error(`${main} does not exist: the build is not complete`);
  const args = ['--import', new URL('stop-with-parent.js', import.meta.url).href, main];
  const app = new ManagedChildProcess({ ...options, command: process.execPath, args });
  await app.until((signal) => isReady(options.url, signal), 120_000);
  return app;
}

async function isReady(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const timeout = AbortSignal.timeout(2_000);
    const answer = await fetch(`${url}/health/ready`, { signal: timeout }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.ok) return;
    await sleep(50);
  }
}
