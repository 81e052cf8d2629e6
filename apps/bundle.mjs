/**
 * Bundles each compiled app (`dist/apps/<app>/src/main.js`) and its packages into one file, `dist/bundle/<app>.js`. Node
 * starts a bundle with a third of the processor time that it needs for 2 500 single modules. Does nothing if no compiled
 * file or package has changed since. Reads what tsc has emitted, because esbuild emits no decorator metadata.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'dist', 'bundle');
/** Written last, so an interrupted run is repeated. */
const stamp = join(folder, '.bundled');
/** A run takes some seconds. */
const abandonedMs = 600_000;
const apps = ['gateway', 'ingest', 'materializer', 'processor'];

/** Packages that Node loads from node_modules. */
const external = [
  // packages/kafka replaces modules of it in Node's module cache.
  'kafkajs',
  // Native code.
  '@node-rs/crc32',
  'snappy',
  'lz4-napi',
  // Not installed: Nest loads them only for features that the apps do not use.
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@fastify/multipart',
  '@fastify/view',
  'class-transformer/storage',
];

/**
 * tsc emits `let Stream = class Stream {…}` for a class with decorators. esbuild would rename the inner class to `Stream2`,
 * and the OpenAPI document with it. An unnamed class has the name of its variable. esbuild's own `keepNames` wraps every
 * function, also those that are made for each event.
 */
const unnamedClasses = {
  name: 'unnamed-classes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]dist[\\/](apps|libs)[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^(export )?let (\w+) = class \2\b/gm, '$1let $2 = class'),
      loader: 'js',
    })),
};

/**
 * Importing a module of these packages does nothing, as `sideEffects` in their package.json says. An app loads only those
 * that it uses: the materializer no expressions.
 */
const modulesWithoutEffects = {
  name: 'modules-without-effects',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) =>
      /[\\/]dist[\\/]packages[\\/](json|regex-cost|cel|json-schema)[\\/]/.test(resolveDir)
        ? { path: join(resolveDir, path), sideEffects: false }
        : undefined,
    ),
};

function isCurrent() {
  const bundled = timeOf(stamp);
  if (bundled === undefined || apps.some((app) => timeOf(join(folder, `${app}.js`)) === undefined))
    return false;
  const compiled = ['apps', 'libs', 'packages'].flatMap((name) => files(join(root, 'dist', name)));
  const others = [fileURLToPath(import.meta.url), join(root, 'node_modules', '.package-lock.json')];
  return [...compiled.filter((file) => /(?<!\.spec)\.js$/.test(file)), ...others].every(
    (file) => (timeOf(file) ?? 0) <= bundled,
  );
}

function files(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

/** Removes what runs that were killed have left. */
function removeAbandonedDrafts() {
  const drafts = readdirSync(folder).filter((name) => name.startsWith('draft-'));
  for (const draft of drafts.map((name) => join(folder, name)))
    if (Date.now() - (timeOf(draft) ?? Date.now()) > abandonedMs)
      rmSync(draft, { recursive: true, force: true });
}

/**
 * Escapes the characters that esbuild leaves in regular expressions, such as those of the package `validator`. V8 keeps the
 * text of a program in memory, with two bytes for each character if one of them is not Latin-1: 7 MB more in each app.
 */
function inAscii(text) {
  return text.replace(/(\\*)([\u0080-\uffff])/g, (_, before, character) => {
    // A backslash that escapes the character itself would escape the backslash of `\\u`.
    const kept = before.length % 2 === 1 ? before.slice(1) : before;
    return `${kept}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

async function bundle() {
  const begin = new Date();
  // Each bundle replaces the previous one at once: an app that starts meanwhile reads a whole file.
  mkdirSync(folder, { recursive: true });
  removeAbandonedDrafts();
  const draft = mkdtempSync(join(folder, 'draft-'));
  // Not split into files that the apps share: esbuild drops the named exports of a CommonJS package that is the target of
  // `import()` there.
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: apps.map((app) => ({ in: `dist/apps/${app}/src/main.js`, out: app })),
    outdir: draft,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The same files of a package as Node would load.
    conditions: [],
    external,
    // Not the `paths` of tsconfig.json, which lead to TypeScript: bundles have what tsc has emitted, as specs do.
    tsconfigRaw: '{}',
    plugins: [unnamedClasses, modulesWithoutEffects],
    // CommonJS modules in an ES module need a `require` for Node's own modules.
    banner: {
      js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
    },
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) writeFileSync(path, inAscii(text));
  for (const app of apps) renameSync(join(draft, `${app}.js`), join(folder, `${app}.js`));
  rmSync(draft, { recursive: true });
  writeFileSync(stamp, '');
  // A file that was compiled meanwhile is newer.
  utimesSync(stamp, begin, begin);
}

if (!isCurrent()) await bundle();
