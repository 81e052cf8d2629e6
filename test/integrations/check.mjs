/**
 * `npm run check:integrations`: sets up the clone, an OpenTelemetry exporter for Python and a Collector that Go
 * builds. Then the command runs the configurations of docs/integrations. kcat and rsyslog are used if they are
 * installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkGo, checkPython } from '../../deploy/tools/needed.mjs';
import { runTool } from '../../local/run-tool.mjs';
import { fail, root, setUp, step } from '../../local/setup.mjs';

const here = join(root, 'test', 'integrations');
const target = join(root, '.tools', 'integrations');
const python = join(target, 'venv', 'bin', 'python');
const collector = join(target, 'otelcol');
const stampFile = join(target, '.installed');

/** Returns a hash that changes with every version. */
function wanted() {
  const hash = createHash('sha256');
  for (const file of ['requirements.txt', 'collector/go.sum', 'collector/main.go'])
    hash.update(readFileSync(join(here, file)));
  return hash.digest('hex');
}

async function installTools() {
  const stamp = wanted();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  checkGo();
  checkPython();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await step('The exporter for Python is installed', async () => {
    await runTool('python3', ['-m', 'venv', join(target, 'venv')], 'Python could not make a venv');
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', join(here, 'requirements.txt')];
    await runTool(python, install, 'pip could not install the exporter');
  });
  await step('The Collector is built', () =>
    runTool(
      'go',
      ['-C', join(here, 'collector'), 'build', '-ldflags=-s -w', '-o', collector, '.'],
      'Go could not build the Collector',
    ),
  );
  writeFileSync(stampFile, stamp);
}

/** Returns the program if it is installed; otherwise prints that it is missing. */
function installed(name, version) {
  if (spawnSync(name, [version]).status === 0) return name;
  console.log(`${name} is not installed: its page is not run`);
  return '';
}

async function main() {
  await setUp();
  await installTools();
  const env = {
    ...process.env,
    ...{ TEST_OTEL_PYTHON: python, TEST_OTEL_COLLECTOR: collector },
    ...{ TEST_KCAT: installed('kcat', '-V'), TEST_RSYSLOGD: installed('rsyslogd', '-v') },
  };
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const spec = join('dist', 'test', 'integrations.e2e.spec.js');
  const args = ['run', '--project', 'e2e', '--root', root, spec, ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 1));
}

main().catch(fail);
