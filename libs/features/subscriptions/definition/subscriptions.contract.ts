import { describe, expect, it } from 'vitest';
import { limits, type EventRecord } from '#event';
import { ada, aSubscription, someTime } from '../../../core/registry/contract/definition-examples.js';
import type { DefinitionsTestProcesses } from '../../../core/registry/contract/definitions-test-processes.js';
import type { SubscriptionDefinition } from './subscription-definition.js';

/** The contract of subscriptions: their storage, and the audit events of their changes. */
export function describeSubscriptions(given: DefinitionsTestProcesses): void {
  describe('a subscription', () => {
    it('is the same in every process', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const written = aSubscription({ version: 2, failure: 'why', paused: true });
      await one.subscriptions.change('billing', () => written, ada);
      await expect.poll(() => two.subscriptions.get('billing')).toEqual(written);
      expect((await given.started(names)).subscriptions.all()).toEqual([written]);
    });

    it('is rejected above the size limit of a definition', async () => {
      const { subscriptions } = await given.started(given.names());
      const { spec } = aSubscription();
      const source = { ...spec.source, where: 'x'.repeat(limits.definitionBytes) };
      const large = aSubscription({ spec: { ...spec, source } });
      const change = subscriptions.change('billing', () => large, ada);
      await expect(change).rejects.toMatchObject({ code: 'payload_too_large' });
    });
  });

  describe('the audit of a subscription', () => {
    it('has an event type for each kind of change', async () => {
      const names = given.names();
      const { subscriptions } = await given.started(names);
      const changes: Partial<SubscriptionDefinition>[] = [
        {},
        { paused: true },
        {},
        { failure: 'it cannot go on' },
        {},
        { version: 2 },
      ];
      for (const more of changes) await subscriptions.change('billing', () => aSubscription(more), ada);
      await subscriptions.change('billing', () => undefined, ada);
      const [, ...events] = await given.audited(names);
      expect(events.map(({ event_type }) => event_type.replace('subscription.', ''))).toEqual([
        ...['created', 'paused', 'resumed', 'failed', 'resumed', 'changed', 'deleted'],
      ]);
      expect(events.every(({ entity_id }) => entity_id === 'subscription:billing')).toBe(true);
    });

    it('shows its spec and the id of its run, without the key of its tokens', async () => {
      const names = given.names();
      const { subscriptions } = await given.started(names);
      await subscriptions.change('billing', () => aSubscription(), ada);
      const [, created] = await given.audited(names);
      const { run, token_key, ...shown } = aSubscription();
      const { data } = created as EventRecord;
      expect(JSON.parse(data)).toMatchObject({ before: null });
      expect((JSON.parse(data) as { after: unknown }).after).toEqual({
        ...shown,
        run: { id: run.id, started_at: someTime },
      });
      expect(data).not.toContain(token_key);
    });
  });
}
