import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the console is at most 90 kB at the first load and 230 kB in all, compressed', () => {
  expect(existsSync('packages/console/dist/index.html'), '`npm run build` builds the console').toBe(true);
  const run = ['node_modules/size-limit/bin.js', '--json'];
  const options = { encoding: 'utf8', cwd: 'packages/console' } as const;
  const text = execFileSync(process.execPath, [`../../${run[0]}`, run[1]!], options);
  const sizes = JSON.parse(text) as { name: string; passed: boolean; size: number }[];
  expect(sizes.map(({ name, passed }) => [name, passed])).toEqual([
    ['first load', true],
    ['all files', true],
  ]);
  for (const { size } of sizes) expect(size).toBeGreaterThan(10_000);
});
