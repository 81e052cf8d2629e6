/**
 * What `npm run check:deploy` checks with, installed into `.tools/deploy`: Helm and its companions, built by Go from the
 * versions in go.mod, and the schemas of Kubernetes and of the operators whose objects the chart has. Versions and
 * checksums are in this folder; what is there already costs a few milliseconds.
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
const { kubernetes, customResources } = JSON.parse(readFileSync(join(here, 'schemas.json'), 'utf8'));

const programs = [
  'helm.sh/helm/v3/cmd/helm',
  'github.com/helm-unittest/helm-unittest/cmd/helm-unittest',
  'github.com/norwoodj/helm-docs/cmd/helm-docs',
  'github.com/yannh/kubeconform/cmd/kubeconform',
  './cmd/pod-security',
  './cmd/compose',
];

/** Installs all that is not there in these versions. @throws SetupError that says what the machine lacks. */
export async function installTools() {
  const stamp = wanted();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  checkGo();
  checkPython();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'schemas'), { recursive: true });
  await step('Helm, kubeconform and the like are built', buildPrograms);
  await step("Kubernetes' schemas are fetched", fetchSchemas);
  await step("The operators' schemas are fetched", fetchCustomResources);
  writeFileSync(stampFile, stamp);
}

/** Changes with every version and every line of what is installed from this folder. */
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
  await run('python3', ['-m', 'zipfile', '-e', join(wheels, wheel), wheels], 'The schemas are no archive');
  const all = join(wheels, 'kubernetes_validate', 'kubernetes-json-schema');
  for (const version of kubernetes) copySchemas(join(all, `v${version}-local-strict`), version);
  rmSync(wheels, { recursive: true });
}

/** Their references are to places on a server; here the definitions are in the file beside them. */
function copySchemas(from, version) {
  const to = join(target, 'schemas', version);
  mkdirSync(to);
  for (const file of readdirSync(from)) {
    const text = readFileSync(join(from, file), 'utf8');
    const schema = JSON.parse(text.replaceAll('"/api/_definitions.json#', '"_definitions.json#'));
    delete schema.$id;
    writeFileSync(join(to, file), JSON.stringify(schema));
  }
}

async function fetchCustomResources() {
  for (const { module, files } of customResources) {
    const folder = await downloaded(module);
    for (const file of files) writeSchemas(readFileSync(join(folder, file), 'utf8'));
  }
}

/** The folder of a Go module, which is downloaded and held against Go's checksum database. */
async function downloaded(module) {
  return JSON.parse(await go(['mod', 'download', '-json', module], `Go could not fetch ${module}`)).Dir;
}

/** One file for each version of the kinds that a manifest of definitions defines. */
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

/** As an API server takes it with strict validation: a field that is not defined is an error. */
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

/** What Go prints. No C compiler is needed. */
function go(args, complaint) {
  return run('go', args, complaint);
}

/** What a tool prints. @throws SetupError with its own words when it fails. */
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
