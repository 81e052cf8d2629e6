import { describe, expect, it } from 'vitest';
import { expectProblem, freshStream, path, queryEvents, waitFor } from '../api.js';
import { rawHttp } from '../raw-http.js';
import { system } from './system.js';

const good = { event_type: 't', data: {} };

describe('SQL in a request', () => {
  const evil = [
    "' OR 1=1 --",
    "'; DROP TABLE events --",
    '`',
    '/* */ UNION ALL SELECT 1',
    '{p:String}',
    "\\' OR ''='",
    '%',
    '_',
    '$$',
    '\u0000',
  ];

  it.each(evil)('is treated as a value: %j', async (value) => {
    for (const name of ['event_type', 'entity_id', 'event_type_prefix']) {
      const answer = await system().core.get(path('/api/v1/events/query', { [name]: value }));
      const shown = `${name}: ${answer.status} ${answer.text}`;
      expect(answer.status, shown).toBeOneOf([200, 400]);
      if (answer.status === 200) expect(answer.json(), shown).toMatchObject({ count: 0 });
    }
    for (const name of ['stream', 'since', 'order', 'limit', 'cursor', 'wait_for', 'where']) {
      const answer = await system().core.get(path('/api/v1/events/query', { [name]: value }));
      expect(answer.status, `${name}: ${answer.text}`).toBe(400);
    }
    const where = `event.data.x == ${JSON.stringify(value)}`;
    const answer = await system().core.get(path('/api/v1/events/query', { where }));
    expect(answer.status, answer.text).toBe(200);
    expect((await system().core.get(path('/api/v1/entities', { stream: value }))).status).toBeOneOf([
      200, 400,
    ]);
    expect((await system().core.get(path('/api/v1/dead-letters', { source: value }))).status).toBeOneOf([
      200, 400,
    ]);
  });
});

describe('line breaks and odd characters', () => {
  it('in a request id are not accepted', async () => {
    for (const id of ['a\tb', 'ž', 'x'.repeat(300), '{"a":1}']) {
      const request = [
        'GET /nowhere HTTP/1.1',
        'Host: localhost',
        'Connection: close',
        `X-Request-Id: ${id}`,
        '',
        '',
      ].join('\r\n');
      const answer = await rawHttp(system().urls.core, request);
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain(`"request_id":"${id}"`);
    }
  });

  it('in a header create no additional header', async () => {
    const request = [
      'GET /nowhere HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      'X-Request-Id: a\rX-Evil: 1',
      '',
      '',
    ].join('\r\n');
    const answer = await rawHttp(system().urls.core, request);
    expect(answer.text.toLowerCase()).not.toContain('\nx-evil');
  });

  it('in a request that is not HTTP are answered with a problem document too', async () => {
    const answer = await rawHttp(system().urls.core, 'HELLO\r\n\r\n');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('application/problem+json');
  });

  it('in headers that are too large are answered with a 431', async () => {
    const answer = await rawHttp(
      system().urls.core,
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`,
    );
    expect(answer.status).toBe(431);
  });

  it('in an entity id are one line in the log and are read back unchanged', async () => {
    const [stream, entity_id] = [freshStream(), 'a\n{"level":60,"msg":"forged"}\r\nb'];
    const answer = await system().write.post('/api/v1/events', { ...good, stream, entity_id });
    if (answer.status === 201) {
      const { events } = await queryEvents(system().core, { stream }, waitFor([answer.json()]));
      expect(events[0]?.entity_id).toBe(entity_id);
    } else expectProblem(answer, 'invalid_request');
    for (const app of system().apps) expect(app.log()).not.toMatch(/^\{"level":60,"msg":"forged"/m);
  });
});
