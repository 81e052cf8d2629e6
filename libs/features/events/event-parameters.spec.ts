import { describe, expect, it } from 'vitest';
import { parseTime } from '#json';
import { parseQuery } from '#http';
import { EventByIdParameters, EventSelectionParameters } from './event-parameters.js';

const selection = (query: object) => parseQuery(EventSelectionParameters, query);

describe('the filter for the store', () => {
  it('contains all parameters', () => {
    const { filter } = selection({
      stream: ['a', 'b'],
      event_type: ['x'],
      event_type_prefix: 'x.',
      entity_id: ['e'],
      since: '2026-11-21T05:00:00.000001+01:00',
      until: '2026-11-22T00:00:00Z',
      where: 'event.data.amount > 1',
    });
    expect(filter).toMatchObject({
      streams: ['a', 'b'],
      eventTypes: ['x'],
      eventTypePrefix: 'x.',
      entityIds: ['e'],
      since: parseTime('2026-11-21T04:00:00.000001Z'),
      until: parseTime('2026-11-22T00:00:00Z'),
      where: { kind: 'binary', operator: '>' },
    });
  });

  it.each([
    ['after', '2026-11-22T00:00:00Z', '2026-11-21T00:00:00Z'],
    ['equal to', '2026-11-21T00:00:00Z', '2026-11-21T01:00:00+01:00'],
  ])('refuses a since that is %s until', (_case, since, until) => {
    expect(() => selection({ since, until })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        options: { errors: [expect.objectContaining({ pointer: 'since' })] },
      }),
    );
  });

  it('refuses a where that is not a condition, and names its type', () => {
    expect(() => selection({ where: 'event.stream' })).toThrow(
      expect.objectContaining({
        code: 'invalid_expression',
        message: expect.stringMatching(/^This is a string, .*\(at character \d+\)$/) as string,
      }),
    );
  });

  it('refuses a pattern that costs too much, before any read', () => {
    const where = `event.data.t.matches("${'(?:[ab]?){900}'.repeat(20)}")`;
    expect(() => selection({ where })).toThrow(
      expect.objectContaining({
        code: 'query_too_expensive',
        options: {
          errors: [{ pointer: 'where', detail: expect.stringMatching(/300 .*at character 22/) as string }],
        },
      }),
    );
  });

  it('names the position of an error in an expression', () => {
    expect(() => selection({ where: 'event.data.amount >' })).toThrow(
      expect.objectContaining({
        code: 'invalid_expression',
        options: {
          errors: [{ pointer: 'where', detail: expect.stringMatching(/at character \d+/) as string }],
        },
      }),
    );
  });

  it('reports errors in other parameters before errors in where', () => {
    expect(() => selection({ where: 'event.', since: 'yesterday' })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        options: { errors: [expect.objectContaining({ pointer: 'since' })] },
      }),
    );
  });
});

describe('positions to wait for', () => {
  it('are parsed from their text', () => {
    expect(parseQuery(EventByIdParameters, { wait_for: ['a:0:1', 'b:2:3'] }).wait_for).toEqual([
      { stream: 'a', partition: 0, offset: 1 },
      { stream: 'b', partition: 2, offset: 3 },
    ]);
    expect(parseQuery(EventByIdParameters, {}).wait_for).toBeUndefined();
  });
});
