/**
 * Prepares a clone for running: checks the tools, installs dependencies, compiles, and fetches Kafka's jars. Imports
 * only Node's own modules, because it runs in a fresh clone. Completed steps take a few milliseconds.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { dependenciesPresent, installDependencies } from './dependencies.mjs';
import { InterruptedError, interruptible, root, runTool } from './run-tool.mjs';
import { checkJava, checkMaven, checkNode, SetupError } from './tools.mjs';

export { root };
const quiet = !process.stdout.isTTY;

/** Milliseconds after which a running step is reported. */
const patienceMs = quiet ? 2000 : 1000;

/**
 * Runs `work` and prints its duration. A slow step is reported while it runs: each second in a terminal, otherwise
 * once.
 */
export async function step(name, work) {
  const start = performance.now();
  const waiting = setInterval(() => {
    if (quiet) {
      console.log(`  … ${name}`);
      clearInterval(waiting);
    } else process.stdout.write(`\r  … ${name} (${Math.round((performance.now() - start) / 1000)} s) `);
  }, patienceMs);
  try {
    const result = await work();
    console.log(
      `${quiet ? '' : '\r\x1b[K'}  ✓ ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`,
    );
    return result;
  } catch (error) {
    console.log(`${quiet ? '' : '\r\x1b[K'}  ✗ ${name}`);
    throw error;
  } finally {
    clearInterval(waiting);
  }
}

/**
 * Runs all set-up steps that are not complete. With `kafka: false`, for an external Kafka, neither Java nor Maven is
 * needed. Ctrl-C stops the set-up and its tools; the next call continues from there.
 */
export async function setUp({ kafka = true } = {}) {
  checkNode();
  if (kafka) checkJava();
  if (kafka && !existsSync(jarsFolder())) checkMaven();
  await interruptible(async () => {
    if (!dependenciesPresent()) await step('Install dependencies', installDependencies);
    if (!buildPresent()) await step('Build the source', build);
    // A dependency can have changed alone.
    else await bundleApps();
    if (!kafka) return;
    const { archivePresent, fetchJars, jarsPresent } = await import('../dist/local/src/kafka/jars.js');
    if (!jarsPresent()) await step("Fetch Kafka's jars", () => fetchJars(maven));
    const { makeClassArchive } = await import('../dist/local/src/kafka/start.js');
    if (!archivePresent()) await step("Prepare Kafka's classes", () => makeClassArchive().catch(slowerStart));
  });
}

/** Kafka starts without the archive, too, but takes longer. */
function slowerStart(error) {
  console.error(`Kafka's classes could not be archived, so Kafka starts more slowly: ${error.message}`);
}

/** The same folder as `jarsDir`, which is not compiled yet in a fresh clone. */
function jarsFolder() {
  const pom = readFileSync(join(root, 'local', 'kafka', 'pom.xml'), 'utf8');
  const version = /kafka_2\.13<\/artifactId>\s*<version>([\d.]+)</.exec(pom)?.[1];
  return join(root, '.engines', `kafka-${version}`);
}

async function maven(args) {
  await runTool('mvn', args, "Maven could not fetch Kafka's jars");
}

const stampFile = join(root, 'dist', '.built');
const typeGenerator = join('packages', 'client', 'generate-types.mjs');
const generatedTypes = join('packages', 'client', 'src', 'generated');
/** What a build reads besides the sources. */
const buildInputs = [
  'tsconfig.json',
  'package.json',
  join('apps', 'bundle.mjs'),
  join('packages', 'client', 'openapi.json'),
  typeGenerator,
];
const sourceRoots = [
  'apps',
  'libs',
  'local/src',
  'test',
  'bench/src',
  'demo',
  'deploy',
  'examples',
  'packages/async/src',
  'packages/zstd/src',
  'packages/kafka/src',
  'packages/json/src',
  'packages/regex-cost/src',
  'packages/cel/src',
  'packages/json-schema/src',
  'packages/client/src',
  'packages/cli/src',
  'packages/console/src',
  'testkit/src',
];

function buildPresent() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourceStamp();
}

async function build() {
  const stamp = sourceStamp();
  rmSync(stampFile, { force: true });
  await runTool(process.execPath, [typeGenerator], "The client's types cannot be generated");
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  // `npx tributary` runs the compiled packages. The client is compiled first, because the command line imports its
  // types.
  for (const project of ['.', 'packages/client', 'packages/cli', 'packages/console'])
    await runTool(
      process.execPath,
      [tsc, '-p', join(project, 'tsconfig.json')],
      'The source does not compile',
    );
  await bundleApps();
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  await runTool(
    process.execPath,
    [vite, 'build', 'packages/console', '--logLevel', 'warn'],
    'The console does not build',
  );
  removeStale();
  writeFileSync(stampFile, stamp);
}

/** Bundles the compiled apps, which start from their bundles. */
export async function bundleApps() {
  await runTool(process.execPath, [join('apps', 'bundle.mjs')], 'The apps cannot be bundled');
}

/** Returns a hash that changes when a source file is added, removed or modified, or the compiler's settings change. */
function sourceStamp() {
  const hash = createHash('sha256');
  for (const file of [...buildInputs, ...sources()]) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function sources() {
  return sourceRoots.flatMap((folder) => files(folder).filter(isSource)).sort();
}

function isSource(file) {
  return /\.(ts|tsx|css)$/.test(file) && !file.startsWith(generatedTypes);
}

/** Removes output whose source was deleted: Node and vitest would still run it. */
function removeStale() {
  for (const folder of sourceRoots) {
    for (const file of files(join('dist', folder))) {
      const source = relative('dist', file).replace(/\.js(\.map)?$/, '.ts');
      if (/\.js(\.map)?$/.test(file) && !existsSync(join(root, source))) rmSync(join(root, file));
    }
  }
}

function files(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
}

/** Prints an error of a script and exits: the message alone for a user's error, the stack for a bug if DEBUG is set. */
export function fail(error) {
  if (error instanceof InterruptedError) {
    console.log(error.message);
    process.exit(130);
  }
  const plain = error instanceof SetupError || process.env.DEBUG === undefined;
  console.error(`\n${plain ? error.message : error.stack}\n`);
  process.exit(1);
}
