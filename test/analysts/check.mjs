/**
 * `npm run check:analysts`: sets up the clone and the ClickHouse clients for Python, Go and Java, then connects with
 * them as analysts do. Installs wheels for Python (pandas, polars, pyarrow, clickhouse-connect), clickhouse-go and the JDBC
 * driver into .tools/analysts; needs Go, Maven and Python with pip and venv. The versions are in this folder; completed
 * steps take a few milliseconds.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkGo, checkPython } from '../../deploy/tools/needed.mjs';
import { runTool } from '../../local/run-tool.mjs';
import { fail, root, setUp, step } from '../../local/setup.mjs';

const here = join(root, 'test', 'analysts');
const target = join(root, '.tools', 'analysts');
const python = join(target, 'venv', 'bin', 'python');
const goClient = join(target, 'clickhouse-go');
const jars = join(target, 'jdbc');
const stampFile = join(target, '.installed');

/** Returns a hash that changes with every version. */
function wanted() {
  const hash = createHash('sha256');
  for (const file of ['requirements.txt', 'clickhouse-go/go.sum', 'clickhouse-go/main.go', 'jdbc/pom.xml'])
    hash.update(readFileSync(join(here, file)));
  return hash.digest('hex');
}

async function installClients() {
  const stamp = wanted();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  checkGo();
  checkPython();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await step('Clients for Python are installed', async () => {
    await runTool('python3', ['-m', 'venv', join(target, 'venv')], 'Python could not make a venv');
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', join(here, 'requirements.txt')];
    await runTool(python, install, 'pip could not install the clients');
  });
  await step('The client for Go is built', () =>
    runTool(
      'go',
      ['-C', join(here, 'clickhouse-go'), 'build', '-o', goClient, '.'],
      'Go could not build the client',
    ),
  );
  await step('The JDBC driver is fetched', () => {
    const args = ['-q', '-B', '-f', join(here, 'jdbc', 'pom.xml'), 'dependency:copy-dependencies'];
    const into = [`-DoutputDirectory=${jars}`, '-DincludeScope=runtime'];
    return runTool('mvn', [...args, ...into], 'Maven could not fetch the jars of the JDBC driver');
  });
  writeFileSync(stampFile, stamp);
}

async function main() {
  await setUp();
  await installClients();
  const env = { ...process.env, TEST_PYTHON: python, TEST_CLICKHOUSE_GO: goClient, TEST_JDBC_JARS: jars };
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const specs = [
    ...['sql', 'export', 'export-csv'].map((name) => join('dist', 'test', `${name}.e2e.spec.js`)),
    join('dist', 'local', 'src', 'clickhouse', 'native-protocol.int.spec.js'),
  ];
  const projects = ['--project', 'e2e', '--project', 'int'];
  const args = ['run', ...projects, '--root', root, ...specs, ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 1));
}

main().catch(fail);
