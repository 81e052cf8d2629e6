import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

/**
 * A folder in which the package and the client are installed as they are published, without files of the repository.
 */
let folder: string;
let installed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-cli-package-'));
  for (const name of ['client', 'cli']) {
    const target = join(folder, 'node_modules/@tributary', name);
    mkdirSync(target, { recursive: true });
    cpSync(`dist/packages/${name}/src`, join(target, 'dist'), { recursive: true });
    for (const file of ['package.json', 'README.md', 'LICENSE'])
      cpSync(join('packages', name, file), join(target, file));
  }
  installed = join(folder, 'node_modules/@tributary/cli');
  cpSync('packages/cli/bin', join(installed, 'bin'), { recursive: true });
  symlinkSync(resolve('node_modules/yaml'), join(folder, 'node_modules/yaml'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const tributary = (...args: string[]) =>
  run(process.execPath, [join(installed, 'bin/tributary.js'), ...args], {
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
