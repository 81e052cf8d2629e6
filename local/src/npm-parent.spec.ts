import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { root } from './kafka/jars.js';

const module_ = pathToFileURL(join(root, 'local', 'npm-parent.mjs')).href;

/** Reports how often `gone` was called after its parent ended, and then exits. */
const child = `
  import { whenNpmEnds } from '${module_}';
  const parent = process.ppid;
  let told = 0;
  whenNpmEnds(() => told++, { everyMs: 5 });
  console.log('watching');
  let looks = 0;
  const timer = setInterval(() => {
    if (process.ppid === parent || looks++ < 100) return;
    console.log('told ' + told + ' times');
    clearInterval(timer);
  }, 5);
`;
/** Starts the child and forwards its output. */
const parent = `
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, ['--input-type=module', '-e', process.env.CHILD], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...JSON.parse(process.env.CHILD_ENV) },
  });
  setInterval(() => undefined, 1000);
`;

/** Returns the child's output after its parent was ended by this signal. */
async function after(signal: NodeJS.Signals, env: Record<string, string>): Promise<string> {
  const { npm_lifecycle_event: _own, ...rest } = process.env;
  const started = spawn(process.execPath, ['--input-type=module', '-e', parent], {
    env: { ...rest, CHILD: child, CHILD_ENV: JSON.stringify(env) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = text(started.stdout);
  await once(started.stdout, 'data');
  started.kill(signal);
  return (await said).replace('watching\n', '');
}

describe('the start script', () => {
  it.each(['start', 'dev'])('`npm run %s` becomes Node: npm is its parent, not a shell', async (script) => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts[script]).toMatch(/^exec node local\/start\.mjs( |$)/);
  });

  it.each<[string, NodeJS.Signals]>([
    ['start', 'SIGKILL'],
    ['start', 'SIGTERM'],
    ['dev', 'SIGKILL'],
  ])('when `npm run %s` ends by %s, then the callback is called once', async (script, signal) => {
    expect(await after(signal, { npm_lifecycle_event: script })).toBe('told 1 times\n');
  });

  it.each([{}, { npm_lifecycle_event: 'test' }] as Record<string, string>[])(
    'when the parent that ends is not npm (%j), then the callback is not called: a shell may leave the process running',
    async (env) => {
      expect(await after('SIGKILL', env)).toBe('told 0 times\n');
    },
  );
});
