import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { UsageError } from '../errors/cli-error.js';
import type { CliProcess } from '../terminal.js';
import { readManifest, type DesiredDefinition } from './desired-definition.js';

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
