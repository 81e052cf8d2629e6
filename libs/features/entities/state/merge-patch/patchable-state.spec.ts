import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { addToEntityState, entityStateText, readEntityState, type EntityState } from './patchable-state.js';
import type { JsonMembers } from './json-tree.js';
import { patches } from '../../../../core/dataflow/fold-operations/merge-patch.fixture.js';

const fold = (data: string[], from?: string) =>
  data.reduce<EntityState>((state, text) => addToEntityState(state, text)!, readEntityState(from));

describe('the state of an entity', () => {
  it('is the result of applying the data of its events as merge patches', () => {
    expect(entityStateText(readEntityState())).toBe('{}');
    const data = [
      '{"status":"new","total":0.10000000000000000001}',
      '{"status":"paid","items":{"a":1,"b":2}}',
      '{"items":{"a":null}}',
    ];
    expect(entityStateText(fold(data))).toBe(
      '{"status":"paid","total":0.10000000000000000001,"items":{"b":2}}',
    );
  });

  it('keeps the text of numbers, and the order of members with any names', () => {
    const data = [
      '{"b":1.10,"2":1e2,"a":-0,"1":1E400,"n":{"9":0.0,"x":[1.0, -0, {"10":1,"3":null}]}}',
      '{"c":"\\u0061\\/","2":5e-0,"n":{"8":1.50}}',
      '{"b":null}',
      '{"b":-0.0,"__proto__":{"1":1.0}}',
    ];
    const text =
      '{"2":5e-0,"a":-0,"1":1E400,"n":{"9":0.0,"x":[1.0, -0, {"10":1,"3":null}],"8":1.50},"c":"\\u0061\\/"' +
      ',"b":-0.0,"__proto__":{"1":1.0}}';
    expect(entityStateText(fold(data))).toBe(text);
    expect(entityStateText(fold([], text))).toBe(text);
    expect(entityStateText(fold(data.slice(2), entityStateText(fold(data.slice(0, 2)))))).toBe(text);
  });

  it('does not keep the texts of its events in memory', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    let state = readEntityState();
    for (let i = 0; i < 40; i++) {
      const data = `{"m${i}":"a value of some length","large":"${String(i).repeat(500_000)}"}`;
      state = addToEntityState(addToEntityState(state, data)!, '{"large":null}')!;
    }
    collectGarbage();
    expect(entityStateText(state).length).toBeLessThan(2_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * 1024 * 1024);
  });

  it('continues from any snapshot with the same result', () => {
    fc.assert(
      fc.property(fc.array(patches, { maxLength: 8 }), fc.nat(8), (values, cut) => {
        const data = values.map((value) => JSON.stringify(value));
        const snapshot = entityStateText(fold(data.slice(0, cut)));
        expect(entityStateText(fold(data.slice(cut), snapshot))).toBe(entityStateText(fold(data)));
      }),
      { numRuns: 200 },
    );
  });

  it('does not grow when the same members are set repeatedly', () => {
    const state = fold(Array.from({ length: 5000 }, (_, n) => `{"n":${n},"text":"${'x'.repeat(500)}"}`));
    expect(entityStateText(state)).toBe(`{"n":4999,"text":"${'x'.repeat(500)}"}`);
  });

  it('has the exact length of its text after any events', () => {
    fc.assert(
      fc.property(fc.array(patches, { maxLength: 8 }), fc.nat(8), (values, cut) => {
        const data = values.map((value) => JSON.stringify(value, null, 1));
        const some = fold(data.slice(0, cut));
        expect(some.characters).toBe(entityStateText(some).length);
        const all = fold(data.slice(cut), entityStateText(some));
        expect(all.characters).toBe(entityStateText(all).length);
      }),
      { numRuns: 300 },
    );
  });

  it('remains unchanged if an event would exceed the limit', () => {
    fc.assert(
      fc.property(patches, patches, (value, patch) => {
        const state = fold([JSON.stringify(value)], `{"x":"${'x'.repeat(1_048_000)}"}`);
        const before = entityStateText(state);
        const tooLong = JSON.stringify({ ...patch, long: 'x'.repeat(1_100) });
        expect(addToEntityState(state, tooLong)).toBeUndefined();
        expect(entityStateText(state)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });

  it('may have exactly 1 048 576 characters', () => {
    const room = 1_048_576 - '{"x":""}'.length - ',"y":1'.length;
    const full = addToEntityState(readEntityState(`{"x":"${'x'.repeat(room)}"}`), ' {"y" : 1} ')!;
    expect(entityStateText(full)).toHaveLength(1_048_576);
    expect(addToEntityState(full, '{"y":10}')).toBeUndefined();
    expect(addToEntityState(full, '{"y":2,"z":null,"x":{"a":{"b":null}}}')?.characters).toBe(
      '{"x":{"a":{}},"y":2}'.length,
    );
  });

  it('takes an event without reading the members that the event does not name', () => {
    const members = Array.from({ length: 95_000 }, (_, i) => `"k${i}":${i % 10}`);
    let state = readEntityState(`{${members.join(',')}}`);
    expect(state.characters).toBeGreaterThan(1_000_000);
    const looks = vi.spyOn(state.value as JsonMembers, Symbol.iterator);
    for (let i = 0; i < 50; i++) state = addToEntityState(state, `{"k${i}":7${' '.repeat(2_000)}}`)!;
    expect(addToEntityState(state, `{"long":"${'x'.repeat(100_000)}"}`)).toBeUndefined();
    expect(looks).not.toHaveBeenCalled();
  });

  it('never exceeds 1 048 576 characters', () => {
    const member = (n: number) => `{"k${n}":"${'x'.repeat(100_000)}"}`;
    const full = fold(Array.from({ length: 10 }, (_, n) => member(n)));
    expect(addToEntityState(full, member(10))).toBeUndefined();
    expect(addToEntityState(full, '{"k1":null}')).toBeDefined();
    const long = `{"a":[${'1e20,'.repeat(210_000)}1]}`;
    expect(addToEntityState(readEntityState(), long)).toBeUndefined();
  });
});
