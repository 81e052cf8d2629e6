/**
 * `npm run check:integrations`: sets up the clone, the OpenTelemetry exporters for Python, Go, Java and JavaScript, and a
 * Collector that Go builds. Then the command runs the configurations of docs/integrations. kcat and rsyslog are used if they are
 * installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkGo, checkPython } from '../../deploy/tools/needed.mjs';
import { runTool } from '../../local/run-tool.mjs';
import { fail, root, setUp, step } from '../../local/setup.mjs';

const here = join(root, 'test', 'integrations');
const target = join(root, '.tools', 'integrations');
const python = join(target, 'venv', 'bin', 'python');
const collector = join(target, 'otelcol');
const exporters = join(here, 'exporters');
const [goExporter, java, javascript] = ['go-exporter', 'java', 'javascript'].map((name) =>
  join(target, name),
);
const stampFile = join(target, '.installed');

/** Returns a hash that changes with every version. */
function wanted() {
  const hash = createHash('sha256');
  const files = [
    ...['requirements.txt', 'collector/go.sum', 'collector/main.go', 'exporters/go/go.sum'],
    ...['exporters/go/main.go', 'exporters/java/pom.xml', 'exporters/java/Odd.java'],
    ...['exporters/javascript/package-lock.json', 'exporters/javascript/odd.mjs'],
  ];
  for (const file of files) hash.update(readFileSync(join(here, file)));
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
  await step('The Collector and the exporter for Go are built', async () => {
    const build = (folder, program) => ['-C', folder, 'build', '-ldflags=-s -w', '-o', program, '.'];
    await runTool('go', build(join(here, 'collector'), collector), 'Go could not build the Collector');
    await runTool('go', build(join(exporters, 'go'), goExporter), 'Go could not build the exporter');
  });
  await step('The exporter for Java is fetched', async () => {
    const args = ['-q', '-B', '-f', join(exporters, 'java', 'pom.xml'), 'dependency:copy-dependencies'];
    const into = [`-DoutputDirectory=${java}`, '-DincludeScope=runtime'];
    await runTool('mvn', [...args, ...into], 'Maven could not fetch the jars of the exporter');
    const compile = ['-cp', join(java, '*'), '-d', java, join(exporters, 'java', 'Odd.java')];
    await runTool('javac', compile, 'Java could not compile the exporter');
  });
  await step('The exporters for JavaScript are installed', () => {
    cpSync(join(exporters, 'javascript'), javascript, { recursive: true });
    const args = ['ci', '--no-audit', '--no-fund', '--prefix', javascript];
    return runTool('npm', args, 'npm could not install the exporters');
  });
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
    ...{ TEST_OTEL_GO: goExporter, TEST_OTEL_JAVA: java, TEST_OTEL_JAVASCRIPT: javascript },
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
