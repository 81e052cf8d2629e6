import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestIngest, type TestIngest } from './writing.fixture.js';

interface Operation {
  description?: string;
  requestBody: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

interface Document {
  paths: Record<string, { post: Operation }>;
  components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
}

let given: TestIngest;
let document: Document;
beforeAll(async () => {
  given = await startTestIngest({ openapi: true });
  document = (await given.app.instance.inject('/openapi.json')).json<Document>();
});
afterAll(() => given.close());

describe('the OpenAPI document of the write endpoints', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has both formats of a batch', () => {
    const { content } = document.paths['/api/v1/events/batch']!.post.requestBody;
    expect(content).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/BatchInput' } },
      'application/x-ndjson': { schema: { type: 'string' } },
    });
  });

  it.each([
    ['/api/v1/events', '201', 'WrittenEvent'],
    ['/api/v1/events/batch', '201', 'BatchWritten'],
    ['/api/v1/events/batch', '207', 'BatchWritten'],
  ])('has the schema of the answer of %s, %s', (path, status, name) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    expect(document.paths[path]!.post.responses[status]?.content).toEqual({ 'application/json': { schema } });
    expect(document.components.schemas).toHaveProperty(name);
  });

  it.each([
    ['/api/v1/events', '422', 'schema_violation'],
    ['/api/v1/events/batch', '404', 'stream_not_found'],
    ['/api/v1/streams', '409', 'stream_exists'],
  ])('has the problem codes of %s: those of %s include %s', (path, status, code) => {
    const { responses } = document.paths[path]!.post;
    const statuses = ['400', '403', '413', '415', '429', '503', status];
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses));
    expect(responses[status]?.description).toContain(`\`${code}\``);
    const schema = { $ref: '#/components/schemas/Problem' };
    expect(responses[status]?.content).toEqual({ 'application/problem+json': { schema } });
    expect(document.components.schemas).toHaveProperty('Problem');
  });

  it.each(['/api/v1/events', '/api/v1/events/batch'])('describes repeated ids and schemas at %s', (path) => {
    const { description } = document.paths[path]!.post;
    expect(description).toMatch(/A repeated `event_id` is answered with 201.*offset differs/);
    expect(description).toMatch(
      /`schema_version` of an event is the version that it matches\. It is null if/,
    );
  });

  it('lists no status for a batch that only single events can have', () => {
    const { responses } = document.paths['/api/v1/events/batch']!.post;
    expect(responses['409']?.description).not.toContain('stream_');
    expect(responses).not.toHaveProperty('422');
    expect(responses['403']?.description).not.toContain('stream_');
    const { error } = document.components.schemas.RejectedEvent!.properties;
    expect(JSON.stringify(error)).toContain('`schema_violation`');
  });

  it('says that an id identifies one event', () => {
    const { description } = document.components.schemas.EventInput!.properties.event_id!;
    expect(description).toMatch(
      /identifies the event within its stream.*another entity.*Never use an id again/,
    );
  });

  it('says how long an id is remembered', () => {
    const { description } = document.components.schemas.EventInput!.properties.event_id!;
    expect(description).toMatch(/60 minutes.*200 000 records.*10 minutes/);
  });
});
