import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const target = join('.tools', 'python');
const stampFile = join(target, '.installed');
const requirements = join('test', 'python', 'requirements.txt');

/** Whether this machine has Python and can install packages. */
export const hasPython = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;

/**
 * Runs a script with the packages of the adjacent requirements.txt, which are installed once.
 * @returns the output
 * @throws an Error with the content of stderr if the script fails
 */
export function python(script: string, input = ''): string {
  install();
  return run(['-c', script], { input });
}

function install(): void {
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  rmSync(target, { recursive: true, force: true });
  run(['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', target, '--requirement', requirements]);
  writeFileSync(stampFile, wanted);
}

function run(parameters: string[], { input = '' } = {}): string {
  const env = { ...process.env, PYTHONPATH: target };
  const { status, stdout, stderr } = spawnSync('python3', parameters, { input, env, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`Python failed: ${stderr}`);
}
