/** Checks and installs the npm dependencies. An interrupted installation is detected and repeated from the start. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, runTool } from './run-tool.mjs';

/**
 * Exists while npm installs, and after an interrupted installation. Then node_modules is removed first, because npm
 * fails on it.
 */
const underWay = join(root, '.engines', 'installing');

/**
 * Returns whether every package of the lock file is listed in node_modules/.package-lock.json, which npm writes last,
 * and exists on the disk.
 */
export function dependenciesPresent() {
  if (existsSync(underWay)) return false;
  const wanted = readJson('package-lock.json')?.packages ?? {};
  const present = readJson('node_modules/.package-lock.json')?.packages;
  if (!present) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional, peer }]) =>
      path === '' ||
      (present[path]?.version === version && existsSync(join(root, path, 'package.json'))) ||
      (!present[path] && (optional || peer)),
  );
}

export async function installDependencies() {
  if (existsSync(underWay)) rmSync(join(root, 'node_modules'), { recursive: true, force: true });
  mkdirSync(dirname(underWay), { recursive: true });
  writeFileSync(underWay, '');
  // The compiler is a development dependency, which npm omits with NODE_ENV=production.
  const args = ['ci', '--include=dev', '--loglevel=error', '--no-progress'];
  await runTool('npm', args, 'npm could not install the dependencies');
  rmSync(underWay);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8'));
  } catch {
    return undefined;
  }
}
