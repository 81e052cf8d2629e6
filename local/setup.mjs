/**
 * What has to be there before anything runs: tools, dependencies, the build, Kafka's jars. Only Node's own modules are
 * used: this runs in a fresh clone. What is done already costs a few milliseconds.
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

/** Milliseconds after which something is said of a step that is not done. */
const patienceMs = quiet ? 2000 : 1000;

/** Runs `work` and shows how long it took; while it takes long, what is waited for: in a terminal each second, else once. */
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
 * Does all that is not done yet. `kafka: false` where an own Kafka is used: neither Java nor Maven is needed then.
 * Ctrl-C ends it with what it has started; the next one goes on from there.
 */
export async function setUp({ kafka = true } = {}) {
  checkNode();
  if (kafka) checkJava();
  if (kafka && !existsSync(jarsFolder())) checkMaven();
  await interruptible(async () => {
    if (!dependenciesPresent()) await step('Install dependencies', installDependencies);
    if (!buildPresent()) await step('Build the source', build);
    if (!kafka) return;
    const { jarsPresent, fetchJars } = await import('../dist/local/src/kafka/jars.js');
    if (!jarsPresent()) await step("Fetch Kafka's jars", () => fetchJars(maven));
    const { archivePresent } = await import('../dist/local/src/kafka/class-archive.js');
    const { makeClassArchive } = await import('../dist/local/src/kafka/make-class-archive.js');
    if (!archivePresent()) await step("Prepare Kafka's classes", makeClassArchive);
  });
}

/** As `jarsDir` has it, which is not compiled yet in a fresh clone. */
function jarsFolder() {
  const pom = readFileSync(join(root, 'local', 'kafka', 'pom.xml'), 'utf8');
  const version = /kafka_2\.13<\/artifactId>\s*<version>([\d.]+)</.exec(pom)?.[1];
  return join(root, '.engines', `kafka-${version}`);
}

async function maven(args) {
  await runTool('mvn', args, "Maven could not fetch Kafka's jars");
}

const stampFile = join(root, 'dist', '.built');
const sourceRoots = [
  'apps',
  'libs',
  'local/src',
  'test',
  'bench/src',
  'demo',
  'deploy',
  'packages/client/src',
  'packages/cli/src',
  'testkit/src',
];

function buildPresent() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourceStamp();
}

async function build() {
  const stamp = sourceStamp();
  rmSync(stampFile, { force: true });
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  // The packages are what `npx tributary` runs. The client comes first: the command line has its types.
  for (const project of ['.', 'packages/client', 'packages/cli'])
    await runTool(
      process.execPath,
      [tsc, '-p', join(project, 'tsconfig.json')],
      'The source does not compile',
    );
  removeStale();
  writeFileSync(stampFile, stamp);
}

/** Changes when a source is added, removed or touched, or the compiler's settings are. */
function sourceStamp() {
  const hash = createHash('sha256');
  for (const file of ['tsconfig.json', 'package.json', ...sources()]) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function sources() {
  return sourceRoots.flatMap((folder) => files(folder).filter((file) => file.endsWith('.ts'))).sort();
}

/** What was compiled from sources that are gone would still be run, and tested. */
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

/** For a script's own errors: a message where it is meant for a person, the stack where it is a mistake of ours. */
export function fail(error) {
  if (error instanceof InterruptedError) {
    console.log(error.message);
    process.exit(130);
  }
  const plain = error instanceof SetupError || process.env.DEBUG === undefined;
  console.error(`\n${plain ? error.message : error.stack}\n`);
  process.exit(1);
}
