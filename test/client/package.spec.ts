import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const tool = (path: string) => resolve('node_modules', path);

/** The package as it is published: packed by npm, unpacked in a folder of its own. */
let folder: string;
let tarball: string;
let published: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-client-'));
  const source = join(folder, 'source');
  cpSync('packages/client', source, {
    recursive: true,
    filter: (name) => !/\/(dist|node_modules)$/.test(name),
  });
  await run(process.execPath, [tool('typescript-7/bin/tsc'), '-p', join(source, 'tsconfig.json')]);
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: source,
  });
  tarball = join(folder, packed.stdout.trim().split('\n').at(-1)!);
  await run('tar', ['-xzf', tarball, '-C', folder]);
  published = join(folder, 'package');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the published package @tributary/client', () => {
  it('contains only its code, types, licence and README', () => {
    const files = readdirSync(published, { recursive: true, encoding: 'utf8' });
    for (const name of ['dist/index.js', 'dist/index.d.ts', 'LICENSE', 'README.md', 'package.json'])
      expect(existsSync(join(published, name)), name).toBe(true);
    expect(files.filter((name) => /spec|fixture|tsconfig|^src/.test(name))).toEqual([]);
  });

  it('has no dependencies', () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(published, 'package.json'), 'utf8'),
    ) as Record<string, object>;
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: published, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
  });

  it('has types that every module resolution finds', async () => {
    const attw = tool('@arethetypeswrong/cli/dist/index.js');
    const checked = run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-emoji']);
    // Errors are in the output and cause a non-zero exit code.
    await checked.catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
  });

  it('is at most 15 kB, minified and compressed, for browsers', async () => {
    const { outputFiles, warnings } = await build({
      ...{ entryPoints: [join(published, 'dist/index.js')], bundle: true, minify: true, write: false },
      ...{ format: 'esm', platform: 'browser', target: 'es2022' },
    });
    expect(warnings).toEqual([]);
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThanOrEqual(15_000);
  });
});
