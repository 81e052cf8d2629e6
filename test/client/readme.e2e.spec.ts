import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { useSharedStack } from '../use-stack.js';

const system = useSharedStack();
const run = promisify(execFile);

/** Returns the `ts` blocks of the README, one after the other, as a module. */
function exampleText(): string {
  const readme = readFileSync('packages/client/README.md', 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  expect(blocks.length).toBeGreaterThan(6);
  const { query, ingest } = system().urls;
  return blocks
    .join('\n')
    .replaceAll('http://127.0.0.1:3902', query)
    .replaceAll('http://127.0.0.1:3901', ingest);
}

/** Returns a folder in which the compiled package of this build is installed. */
function folderWithClient(): string {
  mkdirSync('dist', { recursive: true });
  const folder = mkdtempSync(resolve('dist/readme-'));
  const installed = join(folder, 'node_modules/@tributary/client');
  mkdirSync(installed, { recursive: true });
  symlinkSync(resolve('dist/packages/client/src'), join(installed, 'dist'));
  const manifest = readFileSync('packages/client/package.json', 'utf8');
  writeFileSync(join(installed, 'package.json'), manifest);
  return folder;
}

it("the examples of the client's README compile and run as printed", async () => {
  const folder = folderWithClient();
  try {
    const text = exampleText();
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    writeFileSync(join(folder, 'examples.mjs'), outputText);
    writeFileSync(join(folder, 'examples.ts'), text);
    expect(await complaintsOf(folder)).toBe('');
    const env = { PATH: process.env.PATH, TRIBUTARY_KEY: system().key };
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'examples.mjs')], {
      env,
      timeout: 100_000,
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+ \d+$/m);
    expect(stdout).toMatch(/^\[ 1, 2 \]$/m);
    expect(stdout).toContain('The basket has version 2.');
    expect(stdout).toContain('100 993 {"n":993}');
    expect(stdout).toMatch(/^\d+ \{"event_type":"order\.placed","n":\d+\}$/m);
    expect(stdout).toMatch(/amount: 12.5/);
    expect(stdout).toMatch(/^order.placed$/m);
    expect(stdout).toMatch(/^ship order-17 for 12.5$/m);
    expect(stdout).toMatch(/^order_revenue (building|running)$/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Returns the compiler's errors for the examples, with the types of the source. */
async function complaintsOf(folder: string): Promise<string> {
  const compilerOptions = {
    ...{
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [resolve('node_modules/@types')],
    },
    ...{
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      module: 'esnext',
      moduleResolution: 'bundler',
    },
    paths: { '@tributary/client': [resolve('packages/client/src/index.ts')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['examples.ts'] }));
  const compiler = resolve('node_modules/typescript-7/bin/tsc');
  return run(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
