import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { UsageError } from '../errors/cli-error.js';
import type { CliProcess } from '../session/terminal.js';
import { resourceOf } from '../resources/index.js';
import type { ComparableDefinition, ResourceOperations } from '../resources/resource.js';

/** Reads the definitions in files, in folders recursively, or on standard input (`-`). @throws UsageError */
export async function readManifests(
  paths: readonly string[],
  { stdin }: CliProcess,
): Promise<DesiredDefinition[]> {
  const wanted: DesiredDefinition[] = [];
  for (const path of paths) {
    if (path === '-') wanted.push(...documentsIn(await text(stdin()), 'standard input'));
    else for (const file of await filesOf(path)) wanted.push(...documentsIn(await contentOf(file), file));
  }
  refuseTwice(wanted);
  return wanted;
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: Error) => {
    throw new UsageError(`${path} cannot be read: ${error.message}`);
  });
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path, { recursive: true })).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.toSorted().map((name) => join(path, name));
}

async function contentOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
}

/** Parses the definitions in a manifest file. JSON is valid YAML; each element of a JSON array is a definition. */
function documentsIn(content: string, file: string): DesiredDefinition[] {
  const documents = parseAllDocuments(content, { version: '1.2' });
  return [...documents].flatMap((document, i) => {
    const location = documents.length > 1 ? `${file}, document ${i + 1}` : file;
    const [error] = document.errors;
    if (error) throw new UsageError(`${location}: ${error.message}`);
    const value = document.toJS({ maxAliasCount: 100 }) as unknown;
    if (value === null) return [];
    return Array.isArray(value)
      ? value.map((one, n) => readManifest(one, `${location}, element ${n + 1}`))
      : [readManifest(value, location)];
  });
}

function refuseTwice(wanted: readonly DesiredDefinition[]): void {
  const locations = new Map<string, string>();
  for (const { resource, name, location } of wanted) {
    const id = `${resource.kind} ${name}`;
    const first = locations.get(id);
    if (first) throw new UsageError(`The ${id} is defined twice: ${first} and ${location}.`);
    locations.set(id, location);
  }
}

/** A stream, schema, projection, pipeline or key that a manifest file asks for. */
export interface DesiredDefinition {
  resource: ResourceOperations;
  name: string;
  definition: ComparableDefinition;
  /** The file, and the number of the document in it. */
  location: string;
}

/** Validates one document of a file. @throws UsageError that names the file and the document */
export function readManifest(document: unknown, location: string): DesiredDefinition {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new UsageError(`${location}: a definition is an object with "kind".`);
  const { kind, ...body } = document as ComparableDefinition;
  if (typeof kind !== 'string') throw new UsageError(`${location}: "kind" is missing.`);
  const resource = knownResource(kind, location);
  for (const member of Object.keys(body))
    if (!resource.members.includes(member))
      throw new UsageError(`${location}: a ${kind} has no member "${member}".`);
  const definition = resource.definitionOf(body);
  if (resource.namedBy.some((member) => definition[member] === undefined))
    throw new UsageError(`${location}: the name of the ${kind} is missing.`);
  return { resource, name: resource.nameOf(definition), definition, location };
}

function knownResource(kind: string, location: string): ResourceOperations {
  try {
    return resourceOf(kind);
  } catch (error) {
    throw new UsageError(`${location}: ${(error as Error).message}`);
  }
}
