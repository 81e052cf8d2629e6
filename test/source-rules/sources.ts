import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Source {
  path: string;
  text: string;
}

const roots = ['apps', 'libs', 'local', 'packages'];
const notProduction = /\.spec\.tsx?$|fixture|\/testing\/|\/contract\/|\.contract\.|\/memory\//;

/** Returns whether the rules count the file: TypeScript that is no spec, fixture, contract suite or in-memory fake. */
export function isProduction(path: string): boolean {
  return /\.tsx?$/.test(path) && !notProduction.test(path);
}

/** Reads the production sources. Walks the folders instead of asking git, so that it also works in an unpacked archive. */
export function productionSources(): Source[] {
  return roots
    .flatMap(filesIn)
    .filter(isProduction)
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^(node_modules|dist|generated|\..*)$/.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/** Reads a JSON file that lies beside the specs of these rules. */
export function readRules<T>(name: string): T {
  return JSON.parse(readFileSync(join('test', 'source-rules', name), 'utf8')) as T;
}
