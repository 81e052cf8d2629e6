/** Finds or fetches the programs that the checks run. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Folder of fetched programs, which git ignores. */
const tools = join(root, '.tools');

/** Returns the file of a program in `.tools/bin` or on the PATH, or undefined. */
export function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [join(tools, 'bin'), ...folders].map((folder) => join(folder, name)).find(existsSync);
}

/**
 * Returns a program of a Debian package: from the PATH, else from the package, which is fetched and unpacked without
 * root.
 * @throws Error if the package cannot be fetched
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

/** Downloads a package. If that fails, updates the package lists and tries once more. */
function download(packageName, cwd) {
  const fetch = () => execFileSync('apt-get', ['download', packageName], { cwd, stdio: 'pipe' });
  try {
    fetch();
  } catch {
    execFileSync('apt-get', ['update'], { stdio: 'pipe' });
    fetch();
  }
}
