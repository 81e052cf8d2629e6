import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The packages that `packages/kafka` consists of, each after those that it imports. */
export const enginePackages = ['async', 'zstd', 'kafka'] as const;

/** A folder outside the repository with the packages as they are published. */
export interface InstalledPackages {
  folder: string;
  /** The folder and the tarball of a package. */
  folderOf(name: string): string;
  tarballOf(name: string): string;
  remove(): void;
}

/**
 * Builds and packs each package outside the repository, and installs the tarballs in a folder. Of the packages from
 * outside, only those that a package.json lists as a dependency are there.
 */
export async function installPackages(): Promise<InstalledPackages> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-kafka-package-'));
  const modules = join(folder, 'node_modules');
  const folderOf = (name: string): string => join(modules, '@tributary', name);
  const tarballOf = (name: string): string => join(folder, `tributary-${name}-0.1.0.tgz`);
  link('@types', modules);
  for (const name of enginePackages) {
    const source = join(folder, name);
    cpSync(join('packages', name), source, {
      recursive: true,
      filter: (path) => !/\/(dist|node_modules)$/.test(path),
    });
    for (const dependency of dependenciesOf(name)) link(dependency, modules);
    if (name === 'kafka') link('vitest', modules);
    await run(process.execPath, [resolve('node_modules/typescript-7/bin/tsc'), '-p', source], {
      cwd: folder,
    }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(`${name} does not compile alone:\n${stdout}`);
    });
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
    mkdirSync(folderOf(name), { recursive: true });
    await run('tar', ['-xzf', tarballOf(name), '-C', folderOf(name), '--strip-components=1']);
  }
  return { folder, folderOf, tarballOf, remove: () => rmSync(folder, { recursive: true }) };
}

/** Returns the dependencies of a package from outside this repository. */
function dependenciesOf(name: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(dependencies).filter((dependency) => !dependency.startsWith('@tributary/'));
}

function link(name: string, modules: string): void {
  const target = join(modules, name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(resolve('node_modules', name), target);
}
