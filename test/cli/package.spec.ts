import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** A folder in which npm has installed both packages as it packs them, without files of the repository. */
let folder: string;
let installed: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-cli-package-'));
  const tarballs: string[] = [];
  for (const name of ['client', 'cli']) {
    const staged = join(folder, name);
    mkdirSync(staged);
    cpSync(`dist/packages/${name}/src`, join(staged, 'dist'), { recursive: true });
    for (const file of ['package.json', 'README.md', 'LICENSE'])
      cpSync(join('packages', name, file), join(staged, file));
    if (name === 'cli') cpSync('packages/cli/bin', join(staged, 'bin'), { recursive: true });
    const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
      cwd: staged,
    });
    tarballs.push(join(folder, packed.stdout.trim().split('\n').at(-1)!));
  }
  const user = join(folder, 'user');
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), '{}');
  // The only dependency comes from this repository, so that nothing is downloaded.
  const arguments_ = [
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    ...tarballs,
    resolve('node_modules/yaml'),
  ];
  await run('npm', arguments_, { cwd: user });
  installed = join(user, 'node_modules/@tributary/cli');
});
afterAll(() => rmSync(folder, { recursive: true }));

const tributary = (...args: string[]) =>
  run(join(folder, 'user/node_modules/.bin/tributary'), args, {
    env: { PATH: process.env.PATH },
  }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
  );

describe('the published package @tributary/cli', () => {
  it('runs with the published client', async () => {
    expect(await tributary('--version')).toEqual({ code: 0, text: '0.1.0\n' });
    const { code, text } = await tributary('count', '--url', 'http://127.0.0.1:9');
    expect([code, text]).toEqual([
      4,
      expect.stringMatching(/^tributary: http:\/\/127\.0\.0\.1:9 cannot be reached/),
    ]);
  });

  it('depends only on the client and a YAML parser', () => {
    const { dependencies } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8')) as {
      dependencies: object;
    };
    expect(Object.keys(dependencies)).toEqual(['@tributary/client', 'yaml']);
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
  });
});
