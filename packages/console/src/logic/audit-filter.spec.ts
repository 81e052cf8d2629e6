import { expect, it } from 'vitest';
import { actorOf, auditFilter } from './audit-filter.js';

it('the filter of the audit is a query of its events', () => {
  expect(auditFilter({})).toEqual({});
  expect(auditFilter({ actor: 'k1', action: 'key.' })).toEqual({
    event_type_prefix: 'key.',
    where: 'event.metadata.key_id == "k1"',
  });
  expect(auditFilter({ actor: 'port:core', subject: 'a"b\\' }).where).toBe(
    'event.metadata.key_id == null && event.metadata.port == "core" && event.entity_id.contains("a\\"b\\\\")',
  );
});

it('the actor of an event is its key, or its port if it had none', () => {
  expect(actorOf({ key_id: 'k1', port: 'query' })).toBe('k1');
  expect(actorOf({ key_id: null, port: 'core' })).toBe('port:core');
});
