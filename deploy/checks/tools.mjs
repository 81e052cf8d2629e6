/** The programs that the checks run, and where they come from. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Ignored by git. */
const tools = join(root, '.tools');

/** A program of the path, or undefined. */
export function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [join(tools, 'bin'), ...folders].map((folder) => join(folder, name)).find(existsSync);
}

/**
 * A program of a Debian package: the one of the path, else the package is fetched and unpacked, which needs no root.
 * @throws when there is neither
 */
export function debianProgram(packageName, name) {
  const program = onPath(name) ?? join(tools, 'usr', 'bin', name);
  if (existsSync(program)) return program;
  mkdirSync(tools, { recursive: true });
  const folder = mkdtempSync(join(tools, 'fetched-'));
  try {
    download(packageName, folder);
    const [file] = readdirSync(folder);
    execFileSync('dpkg', ['-x', join(folder, file), tools], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${name} is not on the path, and apt-get cannot fetch ${packageName}: ${error.message}`, {
      cause: error,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return program;
}

/** A machine that has never asked what packages there are does so first. */
function download(packageName, cwd) {
  const fetch = () => execFileSync('apt-get', ['download', packageName], { cwd, stdio: 'pipe' });
  try {
    fetch();
  } catch {
    execFileSync('apt-get', ['update'], { stdio: 'pipe' });
    fetch();
  }
}
