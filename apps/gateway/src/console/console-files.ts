import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A static file of the console in memory. */
export interface ConsoleFile {
  type: string;
  bytes: Buffer;
  gzip: Buffer;
  etag: string;
  /** Whether the file name contains a hash of the content, so that browsers may cache the file forever. */
  isHashed: boolean;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built console. The keys are paths with slashes. Files of other types are left out. */
export function readConsoleFiles(folder: string): Map<string, ConsoleFile> {
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = entries.map(({ parentPath, path, name }) => join(parentPath ?? path, name));
  return new Map(
    paths
      .filter((path) => extname(path) in types)
      .map((path) => [relative(folder, path).split(sep).join('/'), fileAt(folder, path)]),
  );
}

function fileAt(folder: string, path: string): ConsoleFile {
  const bytes = readFileSync(path);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    type: types[extname(path)]!,
    bytes,
    gzip: gzipSync(bytes, { level: 9 }),
    etag: `"${hash}"`,
    isHashed: relative(folder, path).startsWith(`assets${sep}`),
  };
}

/**
 * Returns the folder of the built console: `packages/console/dist` in the nearest folder above this file that has it,
 * in a clone and in the image.
 */
export function consoleFolder(): string {
  for (let folder = import.meta.dirname; ; folder = join(folder, '..')) {
    const candidate = join(folder, 'packages', 'console', 'dist');
    if (existsSync(join(candidate, 'index.html')) || folder === join(folder, '..')) return candidate;
  }
}
