import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { completeDocument, operationsOfPort } from './openapi-document.js';
import { componentSchemas } from './schema-of.js';
import { protectPage } from '../security-headers.js';

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'trb_<key_id>_<secret>_<checksum>',
  description: 'An API key, `trb_…`.',
} as const;

const basic = {
  type: 'http',
  scheme: 'basic',
  description: 'An API key as the password; the user may be any text.',
} as const;

/** Title, description and version of a port's OpenAPI document. */
export interface OpenApiOptions {
  title: string;
  description: string;
  version: string;
  /** Whether the port requires API keys. Default: false. */
  keys?: boolean;
}

/** A port, its name (which `OnlyOnPort` compares), and the options of its OpenAPI document. */
interface DocumentedPort {
  instance: FastifyInstance;
  name: string;
  openapi: OpenApiOptions;
}

/** Sets the scope of the OpenAPI document and its pages: Nest adds them without one. Call it before `serveDocuments`. */
export function protectDocuments(instance: FastifyInstance): void {
  instance.addHook('onRoute', (route) => {
    if (/^\/(docs|openapi\.json|$)/.test(route.url)) route.config = { scope: 'events:read', ...route.config };
    if (route.url.startsWith('/docs')) protectPage(route);
  });
}

/**
 * Serves the OpenAPI document of each port at `/openapi.json` and Swagger UI at `/docs`, which loads nothing from the
 * internet. On a port without keys, `/` redirects to `/docs`. A document has the routes that its port serves. Paths come
 * from the controllers, and schemas from the class-validator classes that validate the requests.
 */
export function serveDocuments(nest: NestFastifyApplication, ports: readonly DocumentedPort[]): void {
  const documents = new Map<FastifyInstance, OpenAPIObject>();
  for (const { instance, name, openapi } of ports) {
    // The redirect is relative, so that it works behind a proxy that adds a path prefix. On ports with keys, `/` accepts
    // SQL.
    const config = { onlyOn: name };
    if (!openapi.keys) instance.get('/', { config }, (_request, reply) => reply.redirect('docs', 302));
  }
  const documentFor = (instance: FastifyInstance): OpenAPIObject | undefined => {
    const port = ports.find((one) => one.instance === instance);
    if (port && !documents.has(instance)) documents.set(instance, documentOf(nest, port));
    return documents.get(instance);
  };
  SwaggerModule.setup('docs', nest, {} as OpenAPIObject, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: undefined,
    customSiteTitle: 'Tributary',
    // The page must not send requests to the public Swagger validator.
    swaggerOptions: { validatorUrl: null },
    patchDocumentOnRequest: (request) => documentFor((request as FastifyRequest).server) as OpenAPIObject,
  });
}

function documentOf(nest: NestFastifyApplication, { name, openapi }: DocumentedPort): OpenAPIObject {
  const { title, description, version, keys = false } = openapi;
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setDescription(description)
    .setVersion(version);
  const document = SwaggerModule.createDocument(
    nest,
    (keys ? builder.addBearerAuth(bearer).addBasicAuth(basic) : builder).build(),
  );
  const paths = operationsOfPort(document.paths, name);
  return completeDocument({ ...document, paths }, { schemas: componentSchemas(), keys });
}
