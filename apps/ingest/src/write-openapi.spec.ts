import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenIngest, type GivenIngest } from './ingest.fixture.js';

interface Operation {
  requestBody: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Document {
  paths: Record<string, { post: Operation }>;
  components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
}

let given: GivenIngest;
let document: Document;
beforeAll(async () => {
  given = await givenIngest({ openapi: true });
  document = (await given.app.instance.inject('/openapi.json')).json<Document>();
});
afterAll(() => given.close());

describe('the documentation of writing', () => {
  it('has both forms of a batch', () => {
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
  ])('has the form of the answer of %s, %s', (path, status, name) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    expect(document.paths[path]!.post.responses[status]?.content).toEqual({ 'application/json': { schema } });
    expect(document.components.schemas).toHaveProperty(name);
  });

  it('says how long an id is remembered', () => {
    const { description } = document.components.schemas.EventInput!.properties.event_id!;
    expect(description).toMatch(/200 000 records.*60 minutes/);
  });
});
