import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Vitest's global set-up of the projects that start apps: bundles the apps if they were compiled since the last time.
 * So specs that run without `npm test` do not start the previous build.
 */
export default async function bundleApps(): Promise<void> {
  await promisify(execFile)(process.execPath, [join('apps', 'bundle.mjs')]);
}
