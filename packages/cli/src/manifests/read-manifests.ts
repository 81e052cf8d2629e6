import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { UsageError } from '../errors/cli-error.js';
import type { CliProcess } from '../session/terminal.js';
import { resourceOf } from '../resources/index.js';
import type { ComparableDefinition, ResourceOperations } from '../resources/resource.js';

const isManifest = (file: string) => /\.(ya?ml|json)$/.test(file);

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
  const names = await readdir(path, { recursive: true });
  return names
    .filter(isManifest)
    .toSorted()
    .map((name) => join(path, name));
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
    const place = documents.length > 1 ? `${file}, document ${i + 1}` : file;
    const [error] = document.errors;
    if (error) throw new UsageError(`${place}: ${error.message}`);
    const value = document.toJS({ maxAliasCount: 100 }) as unknown;
    if (value === null) return [];
    return Array.isArray(value)
      ? value.map((one, n) => readManifest(one, `${place}, element ${n + 1}`))
      : [readManifest(value, place)];
  });
}

function refuseTwice(wanted: readonly DesiredDefinition[]): void {
  const places = new Map<string, string>();
  for (const { resource, name, place } of wanted) {
    const id = `${resource.kind} ${name}`;
    const first = places.get(id);
    if (first) throw new UsageError(`The ${id} is defined twice: ${first} and ${place}.`);
    places.set(id, place);
  }
}

/** A stream, schema, projection, pipeline or key that a manifest file asks for. */
export interface DesiredDefinition {
  resource: ResourceOperations;
  name: string;
  definition: ComparableDefinition;
  /** The file, and the number of the document in it. */
  place: string;
}

/** Validates one document of a file. @throws UsageError that names the file and the document */
export function readManifest(document: unknown, place: string): DesiredDefinition {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new UsageError(`${place}: a definition is an object with "kind".`);
  const { kind, ...body } = document as ComparableDefinition;
  if (typeof kind !== 'string') throw new UsageError(`${place}: "kind" is missing.`);
  const resource = knownResource(kind, place);
  for (const member of Object.keys(body))
    if (!resource.members.includes(member))
      throw new UsageError(`${place}: a ${kind} has no member "${member}".`);
  const definition = resource.definitionOf(body);
  if (resource.namedBy.some((member) => definition[member] === undefined))
    throw new UsageError(`${place}: the name of the ${kind} is missing.`);
  return { resource, name: resource.nameOf(definition), definition, place };
}

function knownResource(kind: string, place: string): ResourceOperations {
  try {
    return resourceOf(kind);
  } catch (error) {
    throw new UsageError(`${place}: ${(error as Error).message}`);
  }
}
