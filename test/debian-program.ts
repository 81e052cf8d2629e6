import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Returns the path of a program of Debian. Installs its package if the program is missing.
 * @throws if this process may not install packages
 */
export function debianProgram(name: string): string {
  const path = `/usr/bin/${name}`;
  if (existsSync(path)) return path;
  // Another spec may install its program at the same time.
  const patient = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  const apt = (...args: string[]) => execFileSync('apt-get', [...patient, ...args], { stdio: 'inherit' });
  apt('update');
  apt('install', '-y', '--no-install-recommends', name);
  return path;
}

/**
 * Returns the path of Chromium: that of the variable `CHROMIUM`, else Debian's program without a user interface, which
 * takes less processor time than Chromium in headless mode.
 */
export function chromium(): string {
  return process.env.CHROMIUM ?? debianProgram('chromium-headless-shell');
}
