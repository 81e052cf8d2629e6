import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  givenGateway,
  type GivenGateway,
} from '../../apps/gateway/src/gateway-application-context.fixture.js';
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
    expect(await complaintsOf(generated)).toBe('');
  });
});

/** Returns the compiler's errors when the client's types are compared with the generated ones. */
async function complaintsOf(generated: string): Promise<string> {
  mkdirSync('dist', { recursive: true });
  const folder = mkdtempSync(resolve('dist/agreement-'));
  try {
    writeFileSync(join(folder, 'openapi.ts'), generated);
    writeFileSync(join(folder, 'agreement.ts'), agreementText(resolve('packages/client/src/index.ts')));
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
