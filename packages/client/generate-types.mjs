/**
 * Generates `src/generated/openapi.ts` from `openapi.json`: the schemas, and the query parameters of each operation that has
 * some. A file that is up to date is not written, so that the compiler does not read it again.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const file = new URL('./src/generated/openapi.ts', import.meta.url);
const { paths, ...document } = JSON.parse(readFileSync(new URL('./openapi.json', import.meta.url), 'utf8'));

/** Without the answers, whose schemas have names anyway, the file has a quarter of the size. */
function withQuery([path, operations]) {
  const reads = Object.entries(operations)
    .map(([method, { parameters = [] }]) => [method, parameters.filter((one) => one.in === 'query')])
    .filter(([, parameters]) => parameters.length > 0)
    .map(([method, parameters]) => [method, { parameters }]);
  return reads.length > 0 ? [[path, Object.fromEntries(reads)]] : [];
}

const reduced = { ...document, paths: Object.fromEntries(Object.entries(paths).flatMap(withQuery)) };
const text = astToString(await openapiTS(reduced, { emptyObjectsUnknown: true }));
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, text);
}
