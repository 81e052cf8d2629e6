import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { useSharedStack } from '../use-stack.js';

const system = useSharedStack();
const folder = mkdtempSync(resolve('dist/emmett-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Copies the compiled example to a folder in which the compiled client of this build is installed. */
function install(): void {
  cpSync('dist/examples/emmett', folder, { recursive: true });
  const client = join(folder, 'node_modules/@tributary/client');
  mkdirSync(client, { recursive: true });
  symlinkSync(resolve('dist/packages/client/src'), join(client, 'dist'));
  cpSync('packages/client/package.json', join(client, 'package.json'));
}

it("the README's example is examples/emmett/cart.ts", () => {
  const readme = readFileSync('examples/emmett/README.md', 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${readFileSync('examples/emmett/cart.ts', 'utf8')}\`\`\`\n`);
});

it('the example prints what the README says', async () => {
  install();
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'cart.js')], {
    env: { PATH: process.env.PATH, TRIBUTARY_URL: system().urls.core },
  });
  const [, printed] = /It prints `(.*)`/.exec(readFileSync('examples/emmett/README.md', 'utf8'))!;
  expect(stdout.trim()).toBe(printed);
});
