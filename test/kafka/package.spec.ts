import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enginePackages, installPackages, type InstalledPackages } from './installed-packages.js';

const run = promisify(execFile);

let installed: InstalledPackages;
beforeAll(async () => {
  installed = await installPackages();
});
afterAll(() => installed.remove());

describe.each(enginePackages)('the published package @tributary/%s', (name) => {
  const files = () => readdirSync(installed.folderOf(name), { recursive: true, encoding: 'utf8' });

  it('contains only its code, types, licence and README', () => {
    for (const file of ['dist/index.js', 'dist/index.d.ts', 'LICENSE', 'README.md', 'package.json'])
      expect(existsSync(join(installed.folderOf(name), file)), file).toBe(true);
    expect(files().filter((file) => /spec|fixture|tsconfig|^src/.test(file))).toEqual([]);
  });

  it('imports only Node and its dependencies', () => {
    const manifest = manifestOf(join(installed.folderOf(name), 'package.json'));
    const aliases = Object.entries(manifest.imports ?? {});
    const allowed = Object.keys(manifest.dependencies ?? {});
    expect(aliases.filter(([, target]) => !allowed.includes(target))).toEqual([]);
    const known = [...allowed, ...aliases.map(([alias]) => alias)];
    const others = files()
      .filter((file) => file.endsWith('.js') && !/\/contract\/|\.contract\.js$/.test(file))
      .flatMap((file) => importsOf(join(installed.folderOf(name), file)))
      .filter((specifier) => !/^(\.|node:)/.test(specifier))
      .filter((specifier) => !known.some((one) => specifier === one || specifier.startsWith(`${one}/`)));
    expect(others).toEqual([]);
  });

  it('has the dependencies of the repository, version by version', () => {
    const { dependencies: ofRepository = {} } = manifestOf('package.json');
    const { dependencies = {} } = manifestOf(join('packages', name, 'package.json'));
    for (const [dependency, version] of Object.entries(dependencies)) {
      const expected = dependency.startsWith('@tributary/') ? '0.1.0' : ofRepository[dependency];
      expect([dependency, version]).toEqual([dependency, expected]);
    }
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({
      ...{ pkgDir: installed.folderOf(name), strict: true, pack: false },
    });
    expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
  });

  it('has types that every module resolution finds', async () => {
    const attw = resolve('node_modules/@arethetypeswrong/cli/dist/index.js');
    const tarball = installed.tarballOf(name);
    const checked = run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-emoji']);
    // Errors are in the output and cause a non-zero exit code.
    await checked.catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
  });
});

describe('the packages, installed in a folder outside the repository', () => {
  it('work together', async () => {
    writeFileSync(join(installed.folder, 'use.mjs'), useOfThePackages);
    const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: installed.folder });
    expect(stdout).toBe(
      '[{"partition":0,"offset":0}] b\nLogUnavailableError\n100\n[{"start":0,"ends":[14]}]\n',
    );
  });

  it.each(['async', 'zstd'])('run the example of the README of %s', async (name) => {
    const readme = readFileSync(join('packages', name, 'README.md'), 'utf8');
    const text = /^```ts\n([\s\S]*?)^```$/m.exec(readme)![1]!;
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    writeFileSync(join(installed.folder, `${name}.mjs`), outputText);
    const { stdout } = await run(process.execPath, [`${name}.mjs`], { cwd: installed.folder });
    const promised = [.../^It prints (.*)\.$/m.exec(readme)![1]!.matchAll(/`([^`]*)`/g)];
    expect(stdout.trimEnd().split('\n')).toEqual(promised.map(([, line]) => line));
  });
});

/** A program that uses each export of the packages. Nothing listens on port 1. */
const useOfThePackages = `
import { openKafkaLog } from '@tributary/kafka';
import { MemoryLog } from '@tributary/kafka/memory';
import { Backoff } from '@tributary/async';
import { zstdFrames } from '@tributary/zstd';

const memory = new MemoryLog();
await memory.admin.create('t', { partitions: 1 });
const written = await (await memory.producer()).append([{ topic: 't', key: 'a', value: 'b' }]);
const value = await new Promise((resolve) => {
  const consumer = memory.consumer({
    group: 'g',
    handler: {
      assigned: async ({ position }) => position,
      batch: async ({ records }) => resolve(String(records[0].value)),
      revoked: () => undefined,
    },
    onCrash: (error) => { throw error; },
  });
  void consumer.subscribe(['t']);
});
console.log(JSON.stringify(written), value);
await memory.close();

const bounds = { operationTimeoutMs: 300 };
const log = openKafkaLog({ brokers: ['127.0.0.1:1'], clientId: 'nobody', bounds });
console.log(await log.admin.ping().catch(({ name }) => name));
await log.close();
console.log(new Backoff(100, 1_000).next());
console.log(JSON.stringify(zstdFrames(Buffer.from('28b52ffd003829000068656c6c6f', 'hex'))));
`;

interface Manifest {
  dependencies?: Record<string, string>;
  imports?: Record<string, string>;
}

function manifestOf(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

/** Returns what a file imports or requires; kafkajs and its parts are required. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const required = [...text.matchAll(/\brequire\('([^']+)'\)/g)].map(([, specifier]) => specifier!);
  return [...imported, ...required];
}
