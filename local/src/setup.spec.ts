import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { root } from './kafka/jars.js';
import { identify, isRunning } from './process-identity.js';

/** A fake npm: it installs one package, a compiler that does nothing, and a bundler of empty files. */
const installs = `mkdir -p node_modules/typescript-7/bin node_modules/vite/bin node_modules/esbuild dist/apps dist/libs dist/packages dist/bundle
test -e node_modules/half && exit 1
echo '{"version":"1.0.0"}' > node_modules/typescript-7/package.json
echo '' > node_modules/typescript-7/bin/tsc
echo '' > node_modules/vite/bin/vite.js
echo 'exports.build = async ({ entryPoints, outdir }) => ({ outputFiles: entryPoints.map(({ out }) => ({ path: outdir + "/" + out + ".js", text: "" })) })' > node_modules/esbuild/index.js
cp package-lock.json node_modules/.package-lock.json`;
const lock = { packages: { '': {}, 'node_modules/typescript-7': { version: '1.0.0' } } };
const script = `import { fail, setUp } from './local/setup.mjs';
setUp({ kafka: process.argv.includes('--kafka') }).catch(fail);`;

describe('the set-up of a fresh clone', () => {
  let clone: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'tributary-setup-'));
    await mkdir(join(clone, 'bin'));
    await mkdir(join(clone, 'packages', 'client'), { recursive: true });
    env = { PATH: [join(clone, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter) };
    for (const name of ['setup', 'run-tool', 'interrupt', 'dependencies', 'tools']) {
      await cp(join(root, 'local', `${name}.mjs`), join(clone, 'local', `${name}.mjs`));
    }
    await cp(join(root, 'apps', 'bundle.mjs'), join(clone, 'apps', 'bundle.mjs'));
    const files = { 'package.json': '{}', 'tsconfig.json': '{}', 'package-lock.json': JSON.stringify(lock) };
    const client = { 'packages/client/openapi.json': '{}', 'packages/client/generate-types.mjs': '' };
    for (const [name, text] of Object.entries({ ...files, ...client, 'run.mjs': script })) {
      await writeFile(join(clone, name), text);
    }
  });
  afterEach(() => rm(clone, { recursive: true, force: true }));

  const provide = async (tool: string, text: string): Promise<void> => {
    await writeFile(join(clone, 'bin', tool), `#!/bin/sh\n${text}\n`);
    await chmod(join(clone, 'bin', tool), 0o755);
  };
  const npm = (text: string): Promise<void> => provide('npm', text);
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['run.mjs', ...args], {
      cwd: clone,
      env,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  it('looks for Java and Maven before it installs anything', async () => {
    await cp(join(root, 'local', 'kafka'), join(clone, 'local', 'kafka'), { recursive: true });
    await provide('java', `echo 'openjdk version "21"' >&2`);
    await provide('mvn', 'exit 3');
    await npm('touch was-called');
    expect(run('--kafka')).toMatchObject({ status: 1, output: expect.stringMatching(/^\nMaven/) as string });
    expect(existsSync(join(clone, 'was-called'))).toBe(false);
  });

  it('installs and builds once', async () => {
    await npm(installs);
    expect(run()).toMatchObject({
      status: 0,
      output: expect.stringContaining('Install dependencies') as string,
    });
    expect(run()).toEqual({ status: 0, output: '' });
  });

  it('reports a slow step while it runs', async () => {
    await npm(`${installs}\nsleep 2.2`);
    expect(run().output.split('\n').slice(0, 2)).toEqual([
      '  … Install dependencies',
      expect.stringMatching(/^ {2}✓ Install dependencies \(/),
    ]);
  });

  it('installs a missing package again', async () => {
    await npm(installs);
    run();
    await rm(join(clone, 'node_modules', 'typescript-7'), { recursive: true });
    expect(run()).toMatchObject({
      status: 0,
      output: expect.stringContaining('Install dependencies') as string,
    });
  });

  it('ends with its tools on Ctrl-C, and succeeds the next time', async () => {
    // The folder looks complete, as if another npm ran at the same time.
    await npm(`${installs}\ntouch node_modules/half\nsleep 60 & echo $! > pid\nwait`);
    const child = spawn(process.execPath, ['run.mjs'], { cwd: clone, env });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const pidFile = join(clone, 'pid');
    await vi.waitUntil(async () => existsSync(pidFile) && (await readFile(pidFile, 'utf8')).endsWith('\n'), {
      timeout: 60_000,
    });
    const sleeper = await identify(Number(await readFile(pidFile, 'utf8')));
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(output).toMatch(/Stopping[^]*Stopped\.\s*$/);
    expect(sleeper && (await isRunning(sleeper))).toBe(false);

    await npm(installs);
    expect(run()).toMatchObject({
      status: 0,
      output: expect.stringContaining('Install dependencies') as string,
    });
    expect(existsSync(join(clone, 'node_modules', 'half'))).toBe(false);
  });
});
