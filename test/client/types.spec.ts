import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { foldOperations } from '#dataflow';
import { operators } from '#features/pipelines/computation';
import { openApiFile, openApiText } from './openapi-document.js';

const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], allowImportingTsExtensions: true },
  ...{ target: 'es2022', lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'] },
  ...{ module: 'nodenext', moduleResolution: 'nodenext' },
};

/**
 * Schemas without a name in the client: lists are pages of their items, a batch is a list of events, and a source is answered as
 * it was sent.
 */
const notNamed = /(List|Page)$|^BatchInput$|SourceAnswer$/;

describe('the OpenAPI document of the client', () => {
  it('is the one of the gateway', async () => {
    const written = readFileSync(openApiFile, 'utf8');
    expect(written, 'Run `npm run write:openapi`, and build again.').toBe(await openApiText());
  });
});

describe('the types of the client', () => {
  it('name every schema of the OpenAPI document', () => {
    const document = JSON.parse(readFileSync(openApiFile, 'utf8')) as { components: { schemas: object } };
    const named = namedSchemas();
    const missing = Object.keys(document.components.schemas).filter(
      (name) => !named.has(name) && !notNamed.test(name),
    );
    expect(missing, 'Name them in packages/client/src/types/schemas.ts.').toEqual([]);
  });

  it('name every operator, and no other', async () => {
    expect(
      await complaintsOf(namesText('KeyOfEach<Client.Operator>', operators)),
      'Describe it in packages/client/src/types/operator.ts; the compiler then asks for its label in packages/console/src/logic/pipeline-graph.ts.',
    ).toBe('');
  });

  it('name every fold operation, and no other', async () => {
    expect(
      await complaintsOf(namesText('Client.FoldOperationName', foldOperations)),
      'Run `npm run write:openapi`, and build again.',
    ).toBe('');
  });

  it('differ when the server has an operator that they do not name', async () => {
    const more = namesText('KeyOfEach<Client.Operator>', { ...operators, unheard_of: {} });
    expect(await complaintsOf(more)).toContain(`'unheard_of' does not exist in type`);
    const { filter: _, ...fewer } = operators;
    const missing = await complaintsOf(namesText('KeyOfEach<Client.Operator>', fewer));
    expect(missing).toContain(`Property 'filter' is missing`);
  });
});

/** Returns the schemas from which the sources of the client make their types. */
function namedSchemas(): Set<string> {
  const folder = 'packages/client/src';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  return new Set([...text.matchAll(/ApiSchemas\['(\w+)'\]/g)].map(([, name = '']) => name));
}

/** Returns a module that the compiler accepts only if these are all the names of a type of the client. */
function namesText(type: string, names: Readonly<Record<string, unknown>>): string {
  const members = Object.keys(names).map((name) => `  ${name}: true,\n`);
  return `import type * as Client from '${resolve('packages/client/src/index.ts')}';
type KeyOfEach<Union> = Union extends unknown ? keyof Union : never;
export const names: Record<${type}, true> = {
${members.join('')}};
`;
}

/** Returns the compiler's errors in a module about the client's types. */
async function complaintsOf(text: string): Promise<string> {
  mkdirSync('dist', { recursive: true });
  const folder = mkdtempSync(resolve('dist/names-'));
  try {
    writeFileSync(join(folder, 'names.ts'), text);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['names.ts'] }));
    const compiler = resolve('node_modules/typescript-7/bin/tsc');
    const compiled = promisify(execFile)(process.execPath, [compiler, '-p', folder]);
    return await compiled.then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
