import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import './health-schema.js';
import { completeDocument } from './openapi-document.js';
import './problem-schema.js';
import { componentSchemas } from './schema-of.js';

export interface OpenApiOptions {
  title: string;
  description: string;
  version: string;
}

/**
 * Serves `/openapi.json` and `/docs` (offline). Paths come from the controllers, schemas from the class-validator
 * classes that validate the requests: there is no second definition.
 */
export function serveOpenApi(
  nest: NestFastifyApplication,
  instance: FastifyInstance,
  options: OpenApiOptions,
): void {
  instance.addHook('onRoute', (route) => {
    if (/^\/(docs|openapi\.json)/.test(route.url)) route.config = { scope: 'events:read', ...route.config };
  });
  const description = new DocumentBuilder()
    .setTitle(options.title)
    .setDescription(options.description)
    .setVersion(options.version)
    .addBearerAuth()
    .build();
  const factory = () => completeDocument(SwaggerModule.createDocument(nest, description), componentSchemas());
  SwaggerModule.setup('docs', nest, factory, { jsonDocumentUrl: 'openapi.json', yamlDocumentUrl: undefined });
}
