import { describe, expect, it } from 'vitest';
import { readEvent } from './exact-reader.js';
import { readCreatedSnapshot } from './states.js';

const text =
  '{"event_id":"e","version":2,"data":{"big": 9007199254740993, "price":1.10},"metadata":{"n":1.0}}';

describe('an event from an answer', () => {
  it('has its data as the sent text, and parsed', () => {
    const event = readEvent<{ price: number }>(text);
    expect(event.dataText).toBe('{"big": 9007199254740993, "price":1.10}');
    expect(event.metadataText).toBe('{"n":1.0}');
    expect(event.data.price).toBe(1.1);
    expect(event.data).toBe(event.data);
    expect(event.version).toBe(2);
  });

  it('is serialized to JSON without the texts', () => {
    const written = JSON.parse(JSON.stringify(readEvent(text))) as object;
    expect(written).toEqual({
      ...{ event_id: 'e', version: 2 },
      data: { big: 9007199254740992, price: 1.1 },
      metadata: { n: 1 },
    });
  });

  it('has no state if the answer has none', () => {
    const snapshot = readCreatedSnapshot('{"snapshot_id":"s"}');
    expect(snapshot.state).toBeUndefined();
    expect(JSON.stringify(snapshot)).toBe('{"snapshot_id":"s"}');
  });
});
