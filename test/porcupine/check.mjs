/**
 * `npm run check:porcupine`: checks histories of conditional writes with Porcupine, beside `checkVersions`. Builds the Go
 * program of this folder and runs its tests, compares both checkers on simulated histories, then runs the fault spec of
 * conditional writes, and checks its history. With files of `AttemptHistory` as arguments, it only checks these files. Needs
 * Go. PORCUPINE_SEED repeats the simulated histories, CONDITIONAL_ATTEMPTS makes the run longer.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkGo } from '../../deploy/tools/needed.mjs';
import { runTool } from '../../local/run-tool.mjs';
import { fail, root, setUp, step } from '../../local/setup.mjs';

const here = join(root, 'test', 'porcupine');
const program = join(root, '.tools', 'porcupine');

/** Runs a program with the output of this one, and resolves with its exit code. */
function run(command, args, env = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const stop = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
      resolve(code ?? 1);
    });
  });
}

async function buildProgram() {
  checkGo();
  await step('The Go program is built', () =>
    runTool('go', ['-C', here, 'build', '-o', program, '.'], 'Go could not build the program'),
  );
}

/** Runs the fault spec, which writes its history to the file. Resolves with its exit code. */
function runFaultSpec(history) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const spec = join('dist', 'test', 'conditional-writes.fault.spec.js');
  const args = [vitest, 'run', '--project', 'fault', '--root', root, spec];
  return run(process.execPath, args, { CONDITIONAL_HISTORY: history });
}

async function checkRun() {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-porcupine-'));
  const history = join(folder, 'history.ndjson');
  const specCode = await runFaultSpec(history);
  if (!existsSync(history)) return 1;
  const code = await run(program, [history]);
  if (code === 0 && specCode === 0) rmSync(folder, { recursive: true });
  else console.log(`The history is kept: ${history}`);
  return Math.max(code, specCode);
}

async function main() {
  await buildProgram();
  const files = process.argv.slice(2).map((file) => resolve(file));
  if (files.length > 0) process.exit(await run(program, files));
  await step('The tests of the Go program pass', () =>
    runTool('go', ['-C', here, 'test', './...'], 'A test of the Go program fails'),
  );
  await setUp();
  const { compareCheckers } = await import('../../dist/test/porcupine/compare.js');
  const seed = Number(process.env.PORCUPINE_SEED ?? Math.floor(Math.random() * 2 ** 31));
  if (!(await compareCheckers(program, seed))) process.exit(1);
  process.exit(await checkRun());
}

main().catch(fail);
