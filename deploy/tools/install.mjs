/**
 * Installs the tools of `npm run check:deploy` into `.tools/deploy`: Helm and related programs, which Go builds in the
 * versions of go.mod, and the schemas of Kubernetes and of the operators whose objects the chart creates. This folder
 * has all versions and checksums. If everything is installed already, this takes a few milliseconds.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { root, step } from '../../local/setup.mjs';
import { SetupError } from '../../local/tools.mjs';
import { checkGo, checkPython } from './needed.mjs';

const execute = promisify(execFile);
const here = join(root, 'deploy', 'tools');
const target = join(root, '.tools', 'deploy');
const stampFile = join(target, '.installed');
const { kubernetes, kinds, customResources } = JSON.parse(readFileSync(join(here, 'schemas.json'), 'utf8'));

const programs = [
  'helm.sh/helm/v3/cmd/helm',
  'github.com/helm-unittest/helm-unittest/cmd/helm-unittest',
  'github.com/norwoodj/helm-docs/cmd/helm-docs',
  'github.com/yannh/kubeconform/cmd/kubeconform',
  './cmd/pod-security',
  './cmd/compose',
];

/**
 * Installs the tools, unless they are installed in these versions. @throws SetupError that names what the machine
 * lacks.
 */
export async function installTools() {
  const stamp = wanted();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  checkGo();
  checkPython();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'schemas'), { recursive: true });
  await step('Helm, kubeconform and related tools are built', buildPrograms);
  await step("Kubernetes' schemas are fetched", fetchSchemas);
  await step("The operators' schemas are fetched", fetchCustomResources);
  writeFileSync(stampFile, stamp);
}

/** Returns a hash of the files in this folder that determine the installed tools. */
function wanted() {
  const hash = createHash('sha256');
  for (const file of readdirSync(here, { recursive: true }).sort()) {
    if (/\.(go|mod|sum|txt|json|mjs)$/.test(file)) hash.update(file).update(readFileSync(join(here, file)));
  }
  return hash.digest('hex');
}

async function buildPrograms() {
  const flags = ['-ldflags=-s -w', '-o', join(target, 'bin') + '/'];
  await go(['build', ...flags, ...programs], 'Go could not build the tools');
}

async function fetchSchemas() {
  const wheels = join(target, 'wheels');
  const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--require-hashes'];
  await run(
    'python3',
    [...pip, '--dest', wheels, '--requirement', join(here, 'requirements.txt')],
    "pip could not fetch Kubernetes' schemas",
  );
  const [wheel] = readdirSync(wheels);
  await run(
    'python3',
    ['-m', 'zipfile', '-e', join(wheels, wheel), wheels],
    'The archive of the schemas cannot be extracted',
  );
  const all = join(wheels, 'kubernetes_validate', 'kubernetes-json-schema');
  for (const version of kubernetes) copySchemas(join(all, `v${version}-local-strict`), version);
  rmSync(wheels, { recursive: true });
}

/**
 * Copies the schemas of a Kubernetes version for the kinds in schemas.json. Each gets only the definitions that it uses:
 * kubeconform reads the definitions again for each schema, and all definitions are a megabyte.
 */
function copySchemas(from, version) {
  const to = join(target, 'schemas', version);
  mkdirSync(to);
  const read = (file) =>
    JSON.parse(readFileSync(join(from, file), 'utf8').replaceAll(/"(\/api\/)?_definitions\.json#/g, '"#'));
  const { $defs } = read('_definitions.json');
  for (const kind of kinds) {
    const schema = read(`${kind}.json`);
    delete schema.$id;
    const self = { ...schema, $defs: usedDefinitions(schema, $defs) };
    writeFileSync(join(to, `${kind}.json`), JSON.stringify(self));
  }
}

/** Returns the definitions to which a schema refers, directly or through other definitions. */
function usedDefinitions(schema, all) {
  const used = {};
  const add = (text) => {
    for (const [, name] of text.matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (used[name]) continue;
      used[name] = all[name];
      add(JSON.stringify(all[name]));
    }
  };
  add(JSON.stringify(schema));
  return used;
}

async function fetchCustomResources() {
  for (const { module, files } of customResources) {
    const folder = await downloaded(module);
    for (const file of files) writeSchemas(readFileSync(join(folder, file), 'utf8'));
  }
}

/** Downloads a Go module, which Go verifies with its checksum database, and returns its folder. */
async function downloaded(module) {
  return JSON.parse(await go(['mod', 'download', '-json', module], `Go could not fetch ${module}`)).Dir;
}

/** Writes one schema file for each version of each custom resource in a manifest. */
function writeSchemas(manifest) {
  const to = join(target, 'schemas', 'custom');
  mkdirSync(to, { recursive: true });
  for (const document of parseAllDocuments(manifest)) {
    const definition = document.toJS();
    if (!definition) continue;
    const { group, names, versions } = definition.spec;
    for (const { name, schema } of versions) {
      const file = basename(`${names.kind}-${group}-${name}.json`.toLowerCase());
      writeFileSync(join(to, file), JSON.stringify(closed(schema.openAPIV3Schema)));
    }
  }
}

/** Returns the schema with undefined fields forbidden, as in the API server's strict validation. */
function closed(schema) {
  const { properties, items, additionalProperties, 'x-kubernetes-preserve-unknown-fields': open } = schema;
  const each = (schemas) => Object.entries(schemas).map(([name, one]) => [name, closed(one)]);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(each(properties)),
      additionalProperties: open === true,
    }),
    ...(items && { items: closed(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closed(additionalProperties) }),
  };
}

/** Runs Go without a C compiler, and returns its output. */
function go(args, complaint) {
  return run('go', args, complaint);
}

/** Runs a program and returns its output. @throws SetupError with the end of its error output if it fails. */
async function run(command, args, complaint) {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
  try {
    const { stdout } = await execute(command, args, { cwd: here, env, maxBuffer: 1 << 26 });
    return stdout;
  } catch (error) {
    throw new SetupError(
      `${complaint}:\n${String(error.stderr ?? error.message)
        .trim()
        .split('\n')
        .slice(-40)
        .join('\n')}`,
    );
  }
}
