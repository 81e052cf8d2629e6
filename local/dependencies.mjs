/** What npm installs. An install that did not end well is recognised and done again from nothing. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, runTool } from './run-tool.mjs';

/** There while npm installs, and after an install that was cut off: what it left is removed first, or npm fails on it. */
const underWay = join(root, '.engines', 'installing');

/** npm writes node_modules/.package-lock.json last: each package of the lock file must stand there, and be there. */
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
  // The compiler is a development dependency: NODE_ENV=production would leave it out.
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
