import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldOperations, operators } from '#dataflow';
import { givenGateway, type GivenGateway } from '../../apps/gateway/src/gateway.fixture.js';
import { agreementText, notTyped, queries, typeOf } from './agreement.js';

const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], allowImportingTsExtensions: true },
  ...{ target: 'es2022', lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'] },
  ...{ module: 'nodenext', moduleResolution: 'nodenext' },
};

let gateway: GivenGateway;
let document: OpenAPI3;
beforeAll(async () => {
  gateway = await givenGateway();
  const answer = await gateway.core.instance.inject({ url: '/openapi.json' });
  document = answer.json<OpenAPI3>();
});
afterAll(() => gateway.close());

describe('the types of the client', () => {
  it('exist for every schema of the OpenAPI document', () => {
    const schemas = Object.keys(document.components?.schemas ?? {});
    const unknown = schemas.filter((name) => !(name in typeOf) && !notTyped.test(name));
    expect(
      unknown,
      'Write a type in packages/client/src/types and name it in test/client/agreement.ts.',
    ).toEqual([]);
    expect(Object.keys(typeOf).filter((name) => !schemas.includes(name))).toEqual([]);
  });

  it('agree with the OpenAPI document, member by member', async () => {
    expect(Object.keys(queries).filter((path) => !document.paths?.[path])).toEqual([]);
    const generated = astToString(await openapiTS(document, { emptyObjectsUnknown: true }));
    const agreement = agreementText(resolve('packages/client/src/index.ts'));
    expect(await complaintsOf({ generated, agreement })).toBe('');
  });

  it('name every operator, and no other', async () => {
    expect(
      await complaintsOf({ agreement: namesText('KeyOfEach<Client.Operator>', operators) }),
      'Describe it in packages/client/src/types/operator.ts; the compiler then asks for its label in packages/console/src/logic/pipeline-graph.ts.',
    ).toBe('');
  });

  it('name every fold operation, and no other', async () => {
    expect(
      await complaintsOf({ agreement: namesText('Client.FoldOperation', foldOperations) }),
      'Add it to FoldOperation in packages/client/src/types/projection.ts.',
    ).toBe('');
  });

  it('differ when the server has an operator that they do not name', async () => {
    const more = namesText('KeyOfEach<Client.Operator>', { ...operators, sample: {} });
    expect(await complaintsOf({ agreement: more })).toContain(`'sample' does not exist in type`);
    const { filter: _, ...fewer } = operators;
    const missing = await complaintsOf({ agreement: namesText('KeyOfEach<Client.Operator>', fewer) });
    expect(missing).toContain(`Property 'filter' is missing`);
  });
});

/** Returns a module that the compiler accepts only if these are all the names of a type of the client. */
function namesText(type: string, names: Readonly<Record<string, unknown>>): string {
  const members = Object.keys(names).map((name) => `  ${name}: true,\n`);
  return `import type * as Client from '${resolve('packages/client/src/index.ts')}';
type KeyOfEach<Union> = Union extends unknown ? keyof Union : never;
export const names: Record<${type}, true> = {
${members.join('')}};
`;
}

/** Returns the compiler's errors in a module about the client's types; it can import the types of `generated`. */
async function complaintsOf({
  generated = '',
  agreement,
}: {
  generated?: string;
  agreement: string;
}): Promise<string> {
  mkdirSync('dist', { recursive: true });
  const folder = mkdtempSync(resolve('dist/agreement-'));
  try {
    writeFileSync(join(folder, 'openapi.ts'), generated);
    writeFileSync(join(folder, 'agreement.ts'), agreement);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['agreement.ts'] }),
    );
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
