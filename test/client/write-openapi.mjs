/** `npm run write:openapi`: writes the OpenAPI document of the compiled gateway, from which the client's types are generated. */
import { writeFileSync } from 'node:fs';

const { openApiFile, openApiText } = await import('../../dist/test/client/openapi-document.js');
writeFileSync(openApiFile, await openApiText());
