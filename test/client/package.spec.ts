import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

/** Code of a user. Its types would allow anything if the package did not contain the generated ones. */
const userText = `
import type { ApiKey, EventQuery, NewEvent, PipelineInput, ProjectionKeyState, StoredEvent } from '@tributary/client';
interface Order { amount: number }
const order: Order = { amount: 1 };
export const event: NewEvent = { stream: 'orders', event_type: 'order.placed', timestamp: new Date(), data: order };
export const query: EventQuery = { stream: 'orders', event_type: ['order.placed'] as const, since: new Date() };
export const operators: PipelineInput['operators'] = [{ filter: 'event.data.amount > 1' }, { emit: { stream: 'big' } }];
export const status = (key: ApiKey): 'active' | 'expired' | 'revoked' => key.status;
export const amount = (stored: StoredEvent<Order>): number => stored.data.amount;
export const updated = (state: ProjectionKeyState): string => state.updated_at;
// @ts-expect-error
export const unknownMember: ApiKey['unknown'] = 1;
// @ts-expect-error
export const unknownOrder: EventQuery = { order: 'random' };
`;

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

  it('has types that compile where nothing else is installed', async () => {
    const user = join(folder, 'user');
    mkdirSync(join(user, 'node_modules/@tributary'), { recursive: true });
    symlinkSync(published, join(user, 'node_modules/@tributary/client'));
    writeFileSync(join(user, 'user.mts'), userText);
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [], target: 'es2022' },
      ...{ lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'] },
      ...{ module: 'nodenext', preserveSymlinks: true },
    };
    writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.mts'] }));
    const compiled = run(process.execPath, [tool('typescript-7/bin/tsc'), '-p', user]);
    await compiled.catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
  });

  it('is at most 16 kB, minified and compressed, for browsers', async () => {
    const { outputFiles, warnings } = await build({
      ...{ entryPoints: [join(published, 'dist/index.js')], bundle: true, minify: true, write: false },
      ...{ format: 'esm', platform: 'browser', target: 'es2022' },
    });
    expect(warnings).toEqual([]);
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThanOrEqual(16_000);
  });
});
