import { describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { formatTime } from '#json';
import type { EventRecord } from '#event';
import { readKey } from '../resources/definition-change-record.js';
import { erasureName } from '../erasures/erasure-kind.js';
import { schemaName } from '../schemas/schema-kind.js';
import { ada, addVersion, aKey, anErasure, sha256, someTime } from './definition-examples.js';
import type { DefinitionsTestProcesses } from './definitions-test-processes.js';

const subject = schemaName('orders', 'order.placed');

function dataOf({ data }: EventRecord): Record<string, unknown> {
  return JSON.parse(data) as Record<string, unknown>;
}

/** The contract of the audit stream. */
export function describeAudit(given: DefinitionsTestProcesses): void {
  describe('the audit', () => {
    it('has an event for each change, in order, with the definition and the actor', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      const { schemas, keys, erasures } = definitions;
      await definitions.createStream({ stream: 'orders' }, ada);
      await definitions.changeStream('orders', (current) => ({ ...current, retention: { time: '1d' } }), ada);
      await schemas.change(subject, addVersion('v1'), ada);
      await schemas.change(subject, (current) => current && { ...current, mode: 'warn' }, ada);
      await schemas.change(subject, addVersion('v2'), ada);
      await schemas.change(subject, (current) => current && { ...current, retired: true }, ada);
      await keys.change('k1', () => aKey('k1'), ada);
      await keys.change('k1', (key) => key && { ...key, rotated_at: someTime }, ada);
      await keys.change('k1', (key) => key && { ...key, name: 'other' }, ada);
      await keys.change('k1', (key) => key && { ...key, revoked_at: someTime }, ada);
      const erasure = anErasure('person-17');
      const erased = erasureName(erasure);
      await erasures.change(erased, () => erasure, ada);
      const count = { event_type: 'entity.erased', kind: 'erasure', name: erased, after: { events: 3 } };
      await definitions.audit(count, ada);
      await definitions.deleteStream('orders', () => Promise.resolve(), ada);
      const events = await given.audited(names);
      expect(events.map(({ event_type, entity_id }) => [event_type, entity_id])).toEqual([
        ['stream.created', `stream:${auditStream}`],
        ['stream.created', 'stream:orders'],
        ['stream.changed', 'stream:orders'],
        ['schema.created', `schema:${subject}`],
        ['schema.changed', `schema:${subject}`],
        ['schema.created', `schema:${subject}`],
        ['schema.retired', `schema:${subject}`],
        ['key.created', 'key:k1'],
        ['key.rotated', 'key:k1'],
        ['key.changed', 'key:k1'],
        ['key.revoked', 'key:k1'],
        ['entity.erasure_begun', `erasure:${erased}`],
        ['entity.erased', `erasure:${erased}`],
        ['stream.deletion_begun', 'stream:orders'],
        ['stream.deleted', 'stream:orders'],
      ]);
      expect(JSON.parse(events[0]?.metadata ?? '')).toMatchObject({ key_id: null, port: 'system' });
      for (const event of events.slice(1)) {
        expect(JSON.parse(event.metadata)).toMatchObject({
          key_id: 'ada',
          port: 'query',
          request_id: 'req-1',
        });
      }
    });

    it('shows before and after, the revision, and the actor of the replaced revision', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      const byBob = { key_id: 'bob', port: 'core', request_id: null };
      await definitions.schemas.change(subject, addVersion('v1'), ada);
      await definitions.schemas.change(subject, addVersion('v2'), byBob);
      const [, first, second] = await given.audited(names);
      const v1 = {
        ...addVersion('v1')(undefined),
        version: 1,
        schema: { title: 'v1' },
        created_at: someTime,
        versions: 1,
      };
      expect(dataOf(first as EventRecord)).toEqual({
        ...{ action: 'created', kind: 'schema', name: subject, before: null, after: v1 },
      });
      const { previous, ...data } = dataOf(second as EventRecord);
      expect(data).toEqual({
        ...{ action: 'created', kind: 'schema', name: subject, before: v1 },
        after: { ...v1, version: 2, schema: { title: 'v2' }, versions: 2 },
      });
      expect(previous).toMatchObject({ revision: 1, changed_by: ada });
      expect(
        [first, second].map((event) => (JSON.parse(event?.metadata ?? '') as { revision: number }).revision),
      ).toEqual([1, 2]);
      expect(formatTime(first?.timestamp ?? 0)).toBe((previous as { changed_at: string }).changed_at);
    });

    it('never contains a secret or its hash', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      const expires_at = '2026-12-01T00:00:00.000000Z';
      await definitions.keys.change('k1', () => aKey('k1'), ada);
      const secrets = [{ sha256: sha256('new') }, { sha256: sha256('k1'), expires_at }];
      await definitions.keys.change('k1', (key) => key && { ...key, secrets }, ada);
      await definitions.keys.change('k1', () => undefined, ada);
      const audit = await given.read(await given.topicOf(names, auditStream));
      const text = audit.map(({ key, value }) => `${String(key)} ${String(value)}`).join();
      for (const secret of ['k1', 'new']) expect(text).not.toContain(sha256(secret));
      expect(text).not.toContain('sha256');
      const changed = dataOf((await given.audited(names))[2] as EventRecord);
      expect(changed['after']).toMatchObject({ secrets: [{ expires_at: null }, { expires_at }] });
    });

    it("takes each event id from the definition's record, so that a repeated write is a duplicate", async () => {
      const names = given.names();
      const definitions = await given.started(names);
      await definitions.keys.change('k1', () => aKey('k1'), ada);
      const records = await given.read(names.definitions);
      const isBegun = (value: Buffer | null) => String(value).includes('"state":"creating"');
      const ids = records.filter(({ value }) => value && !isBegun(value)).map(({ key }) => readKey(key).id);
      const events = await given.audited(names);
      expect(new Set(events.map(({ event_id }) => event_id))).toEqual(new Set(ids));
    });

    it('shortens its contents to the limits of an event', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      const long = 'é'.repeat(256);
      const change = (current: ReturnType<ReturnType<typeof addVersion>> | undefined) => ({
        ...addVersion('x'.repeat(700_000))(current),
        event_type: long,
      });
      await definitions.schemas.change(schemaName('orders', long), change, ada);
      await definitions.schemas.change(
        schemaName('orders', `${long}é`),
        (now) => ({ ...change(now), event_type: `${long}é` }),
        ada,
      );
      const [, first, second] = await given.audited(names);
      for (const event of [first, second]) {
        expect([...(event?.entity_id ?? '')].length).toBe(256);
        expect(dataOf(event as EventRecord)).toMatchObject({ before: null, after: null });
        expect(dataOf(event as EventRecord)['too_large_bytes']).toBeGreaterThan(700_000);
      }
      expect(first?.entity_id).not.toBe(second?.entity_id);
    });

    it('is a stream of one partition, which is created on first use', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      expect(one.stream(auditStream)).toBeUndefined();
      await Promise.all([
        one.keys.change('k1', () => aKey('k1'), ada),
        two.keys.change('k2', () => aKey('k2'), ada),
        one.createStream({ stream: 'orders' }, ada),
      ]);
      await expect.poll(() => two.stream(auditStream)).toMatchObject({ partitions: 1, state: 'live' });
      const made = (await given.audited(names)).filter(
        ({ entity_id }) => entity_id === `stream:${auditStream}`,
      );
      expect(made).toHaveLength(1);
    });
  });
}
