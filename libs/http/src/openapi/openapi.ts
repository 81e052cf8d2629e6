import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import './health-schema.js';
import { completeDocument } from './openapi-document.js';
import '../problems/problem-schema.js';
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

/**
 * Serves the OpenAPI document at `/openapi.json` and Swagger UI at `/docs`, which loads nothing from the internet. On a
 * port without keys, `/` redirects to `/docs`. Paths come from the controllers, and schemas from the class-validator
 * classes that validate the requests.
 */
export function serveOpenApi(
  nest: NestFastifyApplication,
  instance: FastifyInstance,
  options: OpenApiOptions,
): void {
  instance.addHook('onRoute', (route) => {
    if (/^\/(docs|openapi\.json|$)/.test(route.url)) route.config = { scope: 'events:read', ...route.config };
    if (route.url.startsWith('/docs')) protectPage(route);
  });
  // The redirect is relative, so that it works behind a proxy that adds a path prefix. On ports with keys, `/` accepts
  // SQL.
  if (!options.keys) instance.get('/', (_request, reply) => reply.redirect('docs', 302));
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(options.title)
    .setDescription(options.description)
    .setVersion(options.version);
  const description = (options.keys ? builder.addBearerAuth(bearer).addBasicAuth(basic) : builder).build();
  const factory = () =>
    completeDocument(SwaggerModule.createDocument(nest, description), {
      schemas: componentSchemas(),
      keys: options.keys ?? false,
    });
  SwaggerModule.setup('docs', nest, factory, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: undefined,
    customSiteTitle: options.title,
    // The page must not send requests to the public Swagger validator.
    swaggerOptions: { validatorUrl: null },
  });
}
