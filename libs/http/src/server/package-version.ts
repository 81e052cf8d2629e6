import { readFileSync } from 'node:fs';

/** Returns the version of `package.json`, which is in the folder of `dist`; `unknown` if there is none. */
export function packageVersion(): string {
  try {
    const text = readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return 'unknown';
  }
}
