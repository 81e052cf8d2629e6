import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#local';
import { appNames, settingsOf, type AppName } from '../app-settings.js';
import { all, readDockerfile, type DockerfileStage } from './dockerfile.js';
import { buildOutsideDocker } from './outside-docker.js';

const mebibyte = 1024 * 1024;
const stages = readDockerfile();
const image = stages.at(-1) as DockerfileStage;
/** The user of the image if the check runs as root, else the current user. */
const [uid, gid] = (all(image, 'USER')[0] ?? '').split(':').map(Number);
const user = process.getuid?.() === 0 ? { uid, gid } : {};
const json = (text: string): string[] => JSON.parse(text) as string[];

let scratch: string;
let folder: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tributary-image-'));
  await chmod(scratch, 0o755);
  folder = await buildOutsideDocker(stages, scratch);
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Returns the command of the image for an app. */
function startOf(app: AppName): [program: string, args: string[]] {
  const [program = '', ...args] = json(all(image, 'CMD')[0] ?? '[]').map((part) =>
    part.replace('gateway', app),
  );
  return [program, args];
}

/** Returns an environment with the PATH, the variables of the image, and these settings. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const ours = all(image, 'ENV').flatMap((text) => text.split(/\s+/).map((pair) => pair.split('=')));
  return { PATH: process.env.PATH, ...(Object.fromEntries(ours) as object), ...settings };
}

function output(
  command: [string, string[]],
  settings: Record<string, string> = {},
): Promise<{ code: unknown; text: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: environment(settings), ...user };
    const child = execFile(...command, options, (_error, out, err) =>
      resolve({ code: child.exitCode, text: out + err }),
    );
  });
}

/** Returns a line for each file with its size and modification time. */
function state(): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.map((name) => {
    const file = statSync(join(folder, name));
    return `${name} ${file.isFile() ? file.size : ''} ${file.mtimeMs}`;
  });
}

interface Package {
  name: string;
  version: string;
}

describe('the result of the Dockerfile, built without Docker in an empty folder', () => {
  it('contains production packages and no development packages', () => {
    for (const there of ['kafkajs', '@clickhouse/client', 'fastify']) {
      expect(existsSync(join(folder, 'node_modules', there)), there).toBe(true);
    }
    for (const not of ['chdb', 'ffi-rs', 'vitest', 'eslint', '@types/node']) {
      expect(existsSync(join(folder, 'node_modules', not)), not).toBe(false);
    }
    const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /\.(spec|fixture)\.js$|^local|^libs.testing/.test(name))).toEqual([]);
  });

  it('is small', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      statSync(join(folder, name)),
    );
    const bytes = files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0);
    expect(bytes / mebibyte).toBeLessThan(180);
  });

  it('lists exactly its production packages in CycloneDX', () => {
    const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; group?: string; version: string }[];
    };
    const installed = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
      .map((path) => JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8')) as Package)
      .map(({ name, version }) => `${name}@${version}`);
    expect(bill.bomFormat).toBe('CycloneDX');
    const listed = bill.components.map(
      ({ group, name, version }) => `${[group, name].filter(Boolean).join('/')}@${version}`,
    );
    expect(new Set(listed)).toEqual(new Set(installed));
    expect(listed).toContain('kafkajs@2.2.4');
    expect(listed.filter((one) => /^(chdb|ffi-rs|vitest|eslint)@/.test(one))).toEqual([]);
  });

  it.each(appNames)('checks the configuration of %s', async (app) => {
    const [program, args] = startOf(app);
    const { code, text } = await output([program, [...args, '--check-config']]);
    expect(code, text).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ HOST: '0.0.0.0' });
  });

  it('has the command line', async () => {
    expect(await output(['node', ['dist/packages/cli/src/main.js', '--version']])).toEqual({
      code: 0,
      text: '0.1.0\n',
    });
    // The image has `tributary` on its PATH. The script starts the command line at its path in the image.
    const program = readFileSync(join(folder, 'usr/local/bin/tributary'), 'utf8');
    expect(program).toContain('exec node /app/dist/packages/cli/src/main.js "$@"');
    expect(statSync(join(folder, 'usr/local/bin/tributary')).mode & 0o111).toBe(0o111);
  });

  it('has the option --migrate', async () => {
    const [program, args] = startOf('materializer');
    expect((await output([program, [...args, '--help']])).text).toContain('--migrate');
  });

  describe.each(appNames)('%s, started as the user of the image', (app) => {
    let child: ChildProcess;
    let before: string[];
    let port: number;
    const variable = app === 'gateway' ? 'GATEWAY_CORE_PORT' : `${app.toUpperCase()}_PORT`;
    /**
     * Port 1 for all apps, so that the health check does not reach apps that run on this machine at the default ports.
     */
    const ports = Object.fromEntries(
      appNames
        .flatMap(settingsOf)
        .filter((name) => /_PORT$/.test(name))
        .map((name) => [name, '1']),
    );
    beforeAll(async () => {
      before = state();
      port = await freePort();
      const nowhere = { KAFKA_BROKERS: '127.0.0.1:1', CLICKHOUSE_URL: 'http://127.0.0.1:1' };
      const settings = { ...nowhere, [variable]: String(port), GATEWAY_QUERY_PORT: String(await freePort()) };
      child = spawn(...startOf(app), {
        cwd: folder,
        env: environment(settings),
        stdio: 'ignore',
        ...user,
      });
    });
    afterAll(() => child.kill('SIGKILL'));

    it("is alive according to the image's health check, and not ready without its engines", async () => {
      const [, text = ''] = /CMD (\[.*\])/.exec(all(image, 'HEALTHCHECK')[0] ?? '') ?? [];
      const [program = '', ...args] = json(text);
      const ask = (...more: string[]) =>
        output([program, [...args, ...more]], { ...ports, [variable]: String(port) });
      await expect.poll(async () => (await ask()).text).toContain('The app answers 200.');
      expect((await ask()).code).toBe(0);
      expect(await ask(`http://127.0.0.1:${port}/health/ready`)).toEqual({
        code: 1,
        text: 'The app answers 503.\n',
      });
    });

    it('exits with 0 on SIGTERM, and has written no file', async () => {
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(state()).toEqual(before);
    });
  });
});
