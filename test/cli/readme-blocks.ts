import { readFileSync } from 'node:fs';

/** The `sh` blocks, each with the exit code that it announces: `# exits with 1`. */
export function readmeBlocks(): { block: string; code: number }[] {
  const readme = readFileSync('packages/cli/README.md', 'utf8');
  return [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => ({
    block,
    code: Number(/^# exits with (\d+)$/m.exec(block)?.[1] ?? 0),
  }));
}
