import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import ts from 'typescript';
import { isProduction, type Source } from './sources.js';

/** Two folders whose files import each other, and an import in each direction. */
export interface FolderPair {
  name: string;
  imports: [string, string];
}

/** Returns the files behind the names that packages import each other by: `#kafka` is `packages/kafka/src/index.ts`. */
export function importAliases(): Map<string, string> {
  const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    imports: Record<string, { types: string }>;
  };
  const aliases = new Map(Object.entries(imports).map(([name, { types }]) => [name, join(types)]));
  return aliases.set('@tributary/client', 'packages/client/src/index.ts');
}

/**
 * Returns the pairs of folders that import each other. A file belongs to the folder that it lies in, so `src` and
 * `src/sql` can be a pair. Imports of types count. The imports of a library's `index.ts` do not: it exports every folder.
 */
export function folderPairs(sources: Source[], aliases: Map<string, string>): FolderPair[] {
  const imports = new Map<string, string>();
  for (const { path, text } of sources) {
    if (/\/index\.ts$/.test(path)) continue;
    for (const { fileName: specifier } of ts.preProcessFile(text, true, true).importedFiles) {
      const target = targetOf(specifier, path, aliases);
      if (target === undefined || !isProduction(target)) continue;
      const [from, to] = [dirname(path), dirname(target)];
      if (from !== to) imports.set(nameOf(from, to), `${path} imports '${specifier}'`);
    }
  }
  return [...imports].flatMap(([name, one]) => {
    const [from = '', to = ''] = name.split(arrow);
    const other = imports.get(nameOf(to, from));
    return from < to && other !== undefined ? [{ name, imports: [one, other] }] : [];
  });
}

const arrow = ' <-> ';

function nameOf(from: string, to: string): string {
  return `${from}${arrow}${to}`;
}

/** Returns the file that a specifier names, or undefined if it is a package from outside. */
function targetOf(specifier: string, path: string, aliases: Map<string, string>): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(path), specifier.replace(/\.js(x?)$/, '.ts$1'));
  const target = aliases.get(specifier) ?? featureDoor(specifier);
  if (target === undefined && specifier.startsWith('#')) throw new Error(`${path}: unknown ${specifier}`);
  return target;
}

/** Returns the door behind `#features/<name>`, which package.json names by a pattern. */
function featureDoor(specifier: string): string | undefined {
  return specifier.startsWith('#features/') ? `libs/${specifier.slice(1)}/index.ts` : undefined;
}

/** Compares the pairs with the list of known ones, which only shrinks. */
export function pairProblems(pairs: FolderPair[], known: string[]): string[] {
  const names = new Set(pairs.map(({ name }) => name));
  return [
    ...pairs
      .filter(({ name }) => !known.includes(name))
      .map(({ name, imports }) => `${name} import each other: ${imports.join(', and ')}`),
    ...known
      .filter((name) => !names.has(name))
      .map((name) => `${name} no longer import each other: remove it from folder-pairs.json`),
  ];
}
