import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { givenGateway } from '../../apps/gateway/src/gateway.fixture.js';

/** The OpenAPI document from which the types of the client are generated. */
export const openApiFile = 'packages/client/openapi.json';

/** Returns the document as the core port of a gateway of this version answers it, with the spaces of prettier. */
export async function openApiText(): Promise<string> {
  const gateway = await givenGateway();
  try {
    const answer = await gateway.core.instance.inject({ url: '/openapi.json' });
    const document = answer.json<{ info: object }>();
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const ofThisVersion = { ...document, info: { ...document.info, version } };
    const options = { ...(await resolveConfig(openApiFile)), filepath: openApiFile };
    return await format(JSON.stringify(ofThisVersion), options);
  } finally {
    await gateway.close();
  }
}
