import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPackages, type InstalledPackages } from './installed-packages.js';

const run = promisify(execFile);
const readme = readFileSync('packages/kafka/README.md', 'utf8');

let installed: InstalledPackages;
beforeAll(async () => {
  installed = await installPackages();
});
afterAll(() => installed.remove());

/** Returns the examples of the README as a module, with the tests' Kafka and topics and groups of its own. */
function exampleText(): string {
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  const examples = blocks.filter((block) => !block.startsWith('interface Log'));
  expect(examples.length).toBe(3);
  const brokers = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(',').map((one) => `'${one}'`);
  const own = randomUUID().slice(0, 8);
  return examples
    .join('\n')
    .replaceAll("'127.0.0.1:9092'", brokers.join(', '))
    .replace(/'(orders|prices|billing)'/g, `'$1-${own}'`);
}

it("the README's examples compile with the published types, and print what the README says", async () => {
  const text = exampleText();
  const { folder } = installed;
  writeFileSync(join(folder, 'examples.ts'), text);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['examples.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compiler = resolve('node_modules/typescript-7/bin/tsc');
  await run(process.execPath, [compiler, '-p', folder]).catch(({ stdout }: { stdout: string }) =>
    expect.fail(stdout),
  );
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  writeFileSync(join(folder, 'examples.mjs'), outputText);
  const { stdout, stderr } = await run(process.execPath, ['examples.mjs'], { cwd: folder, timeout: 100_000 });
  expect(stderr).toBe('');
  const lines = stdout.trimEnd().split('\n');
  const printed = lines.filter((line) => !line.startsWith('lost '));
  const promised = [...readme.matchAll(/^It prints ([\s\S]*?)(?:\.|, and a line)/gm)].flatMap(([, says]) =>
    [...says!.matchAll(/`([^`]*)`/g)].map(([, line]) => line),
  );
  expect(printed).toEqual(promised);
  expect(lines.filter((line) => line.startsWith('lost '))).toHaveLength(3);
});
