import { describe, expect, it } from 'vitest';
import { checkKinds, kinds, parseExpression } from '#cel';
import { eventVariable, storedEventVariable } from './event-variable.js';

describe('the variable event', () => {
  it('has a version only if the event is stored', () => {
    const version = parseExpression('event.version');
    expect(checkKinds(version, storedEventVariable)).toBe(kinds.number | kinds.null);
    expect(() => checkKinds(version, eventVariable)).toThrow('assigned when the event is stored');
  });

  it('names its members in the error for any other', () => {
    expect(() => checkKinds(parseExpression('event.amount'), storedEventVariable)).toThrow(
      'An event has no member amount; the sent data is in event.data. Its members are event_id, stream, ' +
        'event_type, entity_id, timestamp, ingested_at, data, metadata, schema_version, partition, offset, version.',
    );
  });
});
