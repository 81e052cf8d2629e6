import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProcessListFile } from './orphans.js';
import { identify } from './process-identity.js';

const engineProcess = new URL('engine/engine-process.js', import.meta.url).href;
const stopWithParent = new URL('stop-with-parent.js', import.meta.url).href;
const children: ChildProcess[] = [];

/** Runs a process that starts one child through ManagedChildProcess and prints the child's process id. */
async function parentWithChild(
  childScript: string,
  ...flags: string[]
): Promise<{ parent: ChildProcess; pid: number }> {
  const script = `
    import { ManagedChildProcess } from '${engineProcess}';
    const args = ${JSON.stringify([...flags, '-e', childScript])};
    const child = new ManagedChildProcess({ name: 'child', command: process.execPath, args });
    await child.ready((line) => line === 'ready', 10000);
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(parent);
  const output = await Promise.race([
    once(parent.stdout ?? parent, 'data').then(([chunk]) => String(chunk)),
    once(parent, 'exit').then(() => Promise.reject(new Error('The parent ended before it had a child'))),
  ]);
  return { parent, pid: Number(output) };
}

const obedient = "console.log('ready'); setInterval(() => {}, 1000);";
const stubborn = `process.on('SIGTERM', () => {}); ${obedient}`;

describe('a child process that a killed start leaves behind', () => {
  let record: ProcessListFile;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-orphans-'));
    record = new ProcessListFile(folder);
  });
  afterEach(async () => {
    children.splice(0).forEach((child) => child.kill('SIGKILL'));
    await rm(folder, { recursive: true, force: true });
  });

  it('stops by itself when it watches its standard input', async () => {
    const { parent, pid } = await parentWithChild(obedient, '--import', stopWithParent);
    parent.kill('SIGKILL');
    await expect.poll(() => identify(pid), { interval: 50 }).toBeUndefined();
  });

  it.each([
    ['does not watch its input', obedient],
    ['ignores SIGTERM', stubborn],
  ])('is ended by the next start when it %s', async (_what, script) => {
    const { parent, pid } = await parentWithChild(script);
    await record.write([pid]);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect(await record.remaining()).toHaveLength(1);
    expect(await record.endRemaining(200)).toBe(1);
    expect(await identify(pid)).toBeUndefined();
  });

  it('is ended even if it is paused', async () => {
    const { parent, pid } = await parentWithChild(obedient);
    await record.write([pid]);
    process.kill(pid, 'SIGSTOP');
    parent.kill('SIGKILL');
    await record.endRemaining(200);
    expect(await identify(pid)).toBeUndefined();
  });

  it('is not touched when its process id belongs to another process now', async () => {
    const { pid } = await parentWithChild(obedient);
    await writeFile(join(folder, 'processes.json'), JSON.stringify([{ pid, started: 'long ago' }]));
    expect(await record.endRemaining(100)).toBe(0);
    expect(await identify(pid)).toBeDefined();
    process.kill(pid, 'SIGKILL');
  });
});
