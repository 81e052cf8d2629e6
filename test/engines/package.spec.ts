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
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const tool = (path: string) => resolve('node_modules', path);

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
}
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** A package after those that it depends on. */
const packages = ['json', 'regex-cost', 'cel', 'json-schema'];
/** A package of another spec, on which one of them depends. */
const others = ['async'];
const published = (name: string) => join(folder, 'node_modules/@tributary', name);

/** A folder outside of the repository in which only the packages and what they declare are installed. */
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-engines-'));
  install('@types');
  for (const name of [...others, ...packages]) await pack(name);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiles and packs a package as npm publishes it, and installs it in the folder with its dependencies. */
async function pack(name: string): Promise<void> {
  const source = join(folder, 'sources', name);
  const filter = (path: string) => !/\/(dist|node_modules)$/.test(path);
  cpSync(join('packages', name), source, { recursive: true, filter });
  for (const dependency of Object.keys(manifestOf(source).dependencies ?? {})) install(dependency);
  await run(process.execPath, [tool('typescript-7/bin/tsc'), '-p', join(source, 'tsconfig.json')]);
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
  mkdirSync(published(name), { recursive: true });
  await run('tar', ['-xzf', tarballOf(name), '-C', published(name), '--strip-components=1']);
}

function tarballOf(name: string): string {
  return join(folder, `tributary-${name}-${manifestOf(join('packages', name)).version}.tgz`);
}

function install(dependency: string): void {
  const link = join(folder, 'node_modules', dependency);
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(resolve('node_modules', dependency), link);
}

/** Returns the examples of a README as one module, and what they print. */
function exampleOf(readme: string): { code: string; output: string } {
  const blocksOf = (language: string) => {
    const blocks = readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
    return [...blocks].map(([, block]) => block!).join('');
  };
  return { code: blocksOf('js'), output: blocksOf('text') };
}

describe.each(packages)('the published package @tributary/%s', (name) => {
  it('contains only its code, types, licence and README', () => {
    const files = readdirSync(published(name), { recursive: true, encoding: 'utf8' });
    for (const file of ['dist/index.js', 'dist/index.d.ts', 'LICENSE', 'README.md', 'package.json'])
      expect(existsSync(join(published(name), file)), file).toBe(true);
    expect(files.filter((file) => /spec|fixture|tsconfig|^src/.test(file))).toEqual([]);
  });

  it('prints what its README says', async () => {
    const { code, output } = exampleOf(readFileSync(join(published(name), 'README.md'), 'utf8'));
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code);
    const { stdout } = await run(process.execPath, [file], { cwd: folder });
    expect(stdout).toBe(output);
  });

  it('depends on the versions that this repository runs', () => {
    const versions: Record<string, string | undefined> = { ...manifestOf('.').dependencies };
    for (const other of [...others, ...packages])
      versions[`@tributary/${other}`] = manifestOf(join('packages', other)).version;
    for (const [dependency, version] of Object.entries(manifestOf(published(name)).dependencies ?? {}))
      expect(version, dependency).toBe(versions[dependency]);
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: published(name), strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
  });

  it('has types that every module resolution finds', async () => {
    const attw = tool('@arethetypeswrong/cli/dist/index.js');
    const args = [attw, tarballOf(name), '--profile', 'esm-only', '--no-emoji'];
    // Errors are in the output and cause a non-zero exit code.
    await run(process.execPath, args).catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
  });
});
