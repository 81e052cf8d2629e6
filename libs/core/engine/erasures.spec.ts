import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { entityHash, TopicAndGroupNames } from '#event';
import { erasureName, resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { MemoryLog } from '#kafka/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Erasures } from './erasures.js';

describe('Erasures', () => {
  let definitions: Definitions;
  let erasures: Erasures;

  const idOf = (stream: string) => definitions.stream(stream)!.id;
  const erase = (stream: string, entityId: string, before: Record<string, number>) => {
    const entity_hash = entityHash(stream, entityId);
    const erased_at = '2026-11-21T04:00:00Z';
    const erasure = { stream: idOf(stream), entity_hash, before, erased_at };
    return definitions.erasures.change(erasureName(erasure), () => erasure, systemActor);
  };

  beforeEach(async () => {
    definitions = openDefinitions({
      log: new MemoryLog(),
      names: new TopicAndGroupNames('t.'),
      defaults: { partitions: 1 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    await definitions.start();
    for (const stream of ['orders', 'others']) await definitions.createStream({ stream }, systemActor);
    erasures = new Erasures(definitions);
  });

  afterEach(async () => {
    erasures.close();
    await definitions.close();
  });

  it('return the end offset of the erased events of an entity, by partition', async () => {
    await erase('orders', 'ann', { 0: 7, 3: 12 });
    const endOf = (stream: string, partition: number, entityId = 'ann') =>
      erasures.endOf({ stream: idOf(stream), partition }, entityId);
    expect([endOf('orders', 0), endOf('orders', 3), endOf('orders', 1)]).toEqual([7, 12, 0]);
    expect([endOf('others', 0), endOf('orders', 0, 'bob')]).toEqual([0, 0]);
  });

  it('return which streams have erasures, and increase their version', async () => {
    const before = erasures.version;
    expect(erasures.concern(idOf('orders'))).toBe(false);
    await erase('orders', 'ann', { 0: 7 });
    expect(erasures.version).toBeGreaterThan(before);
    expect([erasures.concern(idOf('orders')), erasures.concern(idOf('others'))]).toEqual([true, false]);
  });

  it('do not apply to a new stream with the same name', async () => {
    await erase('orders', 'ann', { 0: 1000 });
    const [old] = definitions.erasures.all();
    await definitions.deleteStream('orders', async () => undefined, systemActor);
    await definitions.createStream({ stream: 'orders' }, systemActor);
    // A slow process writes the erasure after the stream was deleted.
    await definitions.erasures.change(erasureName(old!), () => old, systemActor);
    expect(erasures.concern(idOf('orders'))).toBe(false);
    expect(erasures.endOf({ stream: idOf('orders'), partition: 0 }, 'ann')).toBe(0);
  });

  it('do not follow the definitions any more after close', async () => {
    erasures.close();
    const before = erasures.version;
    await erase('orders', 'ann', { 0: 7 });
    expect(erasures.version).toBe(before);
  });
});
