import { readFileSync } from 'node:fs';

/** Returns the `sh` blocks, each with the exit code in its first comment: `# exits with 1`. */
export function readmeBlocks(): { block: string; code: number }[] {
  const readme = readFileSync('packages/cli/README.md', 'utf8');
  return [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => ({
    block,
    code: Number(/^# exits with (\d+)$/m.exec(block)?.[1] ?? 0),
  }));
}
