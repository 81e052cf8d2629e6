import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClaimCommand, EventRef, SettleCommand } from './subscription-command.js';
import { SubscriptionState, type GrantedDelivery } from './subscription-state.js';

const source = 'orders#0000000001';
const lease = 30_000;

/** A subscription, the log of its commands, and the time at which the next one is written. */
class GivenSubscription {
  readonly state = new SubscriptionState();
  offset = -1;
  now = 1_000;

  claim(command: Partial<ClaimCommand>): readonly GrantedDelivery[] {
    const defaults = { id: 'c', lease, most: 1_000, parkedBlocks: true, park: [], again: [], fresh: [] };
    const position = { offset: ++this.offset, timestamp: this.now };
    return this.state.apply({ type: 'claim', ...defaults, ...command }, position).granted;
  }

  /** Takes up events with these entities, at the next offsets of partition 0. */
  fresh(
    entities: readonly (string | null)[],
    command: Partial<ClaimCommand> = {},
  ): readonly GrantedDelivery[] {
    const from = this.state.nextOf(source, 0) ?? 0;
    const events = entities.map((entity, i) => [from + i, entity] as const);
    const next = from + entities.length;
    return this.claim({ ...command, fresh: [{ source, partition: 0, from, next, events }] });
  }

  again(command: Partial<ClaimCommand> = {}): readonly GrantedDelivery[] {
    const again = this.state
      .claimable(this.now, { most: 1_000, room: (command.most ?? 1_000) - this.state.counts.out })
      .map((one): EventRef => [source, 0, one.offset]);
    return this.claim({ ...command, again });
  }

  settle(command: Partial<SettleCommand>) {
    const defaults = { id: 's', ack: [], nack: [], extend: [], release: [], releaseDelay: 0, lease };
    const position = { offset: ++this.offset, timestamp: this.now };
    return this.state.apply({ type: 'settle', ...defaults, ...command }, position).settled;
  }
}

const tokenOf = ({ source, partition, offset, claim }: GrantedDelivery) =>
  [source, partition, offset, claim] as const;
const offsets = (granted: readonly GrantedDelivery[]) => granted.map(({ offset }) => offset);

describe('the state of a subscription', () => {
  it('hands out each event once, and none again once it was acknowledged', () => {
    const given = new GivenSubscription();
    const granted = given.fresh([null, null, null]);
    expect(offsets(granted)).toEqual([0, 1, 2]);
    expect(given.settle({ ack: granted.map(tokenOf) })).toEqual(['done', 'done', 'done']);
    given.now += 10 * lease;
    expect(given.again()).toEqual([]);
    expect(given.state.counts).toEqual({ out: 0, waiting: 0, retry: 0, parked: 0 });
  });

  it('lets the first of two claims for the same events hold', () => {
    const given = new GivenSubscription();
    const range = {
      source,
      partition: 0,
      from: 0,
      next: 2,
      events: [[0, null] as const, [1, null] as const],
    };
    expect(offsets(given.claim({ fresh: [range] }))).toEqual([0, 1]);
    expect(given.claim({ fresh: [range] })).toEqual([]);
    given.now += lease;
    const again = [[source, 0, 0] as const];
    expect(offsets(given.claim({ again }))).toEqual([0]);
    expect(given.claim({ again })).toEqual([]);
  });

  it('hands an event out again when its lease has ended, under another token', () => {
    const given = new GivenSubscription();
    const [first] = given.fresh(['a']);
    given.now += lease - 1;
    expect(given.again()).toEqual([]);
    given.now += 1;
    const [second] = given.again();
    expect(second).toMatchObject({ offset: 0, attempt: 2 });
    expect(given.settle({ ack: [tokenOf(first!)] })).toEqual(['expired']);
    expect(given.settle({ ack: [tokenOf(second!)] })).toEqual(['done']);
  });

  it('accepts an acknowledgement after the lease, as long as nobody else has the event', () => {
    const given = new GivenSubscription();
    const [only] = given.fresh(['a']);
    given.now += 5 * lease;
    expect(given.settle({ ack: [tokenOf(only!)] })).toEqual(['done']);
  });

  it('answers a repeated acknowledgement like the first, and does not know an event that was never handed out', () => {
    const given = new GivenSubscription();
    const [only] = given.fresh(['a']);
    given.settle({ ack: [tokenOf(only!)] });
    expect(given.settle({ ack: [tokenOf(only!), [source, 0, 7, 0], [source, 9, 0, 0]] })).toEqual([
      'done',
      'unknown',
      'unknown',
    ]);
  });

  it('prolongs a lease, up to an hour in all', () => {
    const given = new GivenSubscription();
    const [only] = given.fresh(['a']);
    for (let i = 0; i < 300; i++) {
      given.now += lease / 2;
      given.settle({ extend: [tokenOf(only!)] });
    }
    expect(given.again()).toMatchObject([{ attempt: 2 }]);
    expect(given.settle({ extend: [tokenOf(only!)] })).toEqual(['expired']);
  });

  it('hands a refused event out after its delay, and a parked one never', () => {
    const given = new GivenSubscription();
    const [a, b] = given.fresh(['a', 'b']);
    given.settle({
      nack: [
        { handOut: tokenOf(a!), delayMs: 500, reason: 'busy' },
        { handOut: tokenOf(b!), delayMs: null, reason: 'broken' },
      ],
    });
    expect(given.again()).toEqual([]);
    expect(given.state.nextDue).toBe(given.now + 500);
    given.now += 500;
    expect(given.again()).toMatchObject([{ offset: 0, attempt: 2 }]);
    given.now += 100 * lease;
    expect(offsets(given.again())).toEqual([0]);
    expect([...given.state.all('parked')]).toMatchObject([{ offset: 1, reason: 'broken', attempt: 1 }]);
  });

  it('has one event of an entity out at a time, in their order', () => {
    const given = new GivenSubscription();
    const granted = given.fresh(['a', 'a', 'b', 'a', null]);
    expect(offsets(granted)).toEqual([0, 2, 4]);
    expect(given.again()).toEqual([]);
    given.settle({ ack: [tokenOf(granted[0]!)] });
    const [next] = given.again();
    expect(next).toMatchObject({ offset: 1 });
    given.settle({ nack: [{ handOut: tokenOf(next!), delayMs: 1_000, reason: '' }] });
    expect(given.again()).toEqual([]);
    given.now += 1_000;
    expect(offsets(given.again())).toEqual([1]);
  });

  it('lets the later events of an entity wait while one is parked, unless parked events do not block', () => {
    for (const parkedBlocks of [true, false]) {
      const given = new GivenSubscription();
      const [first] = given.fresh(['a', 'a', 'a'], { parkedBlocks });
      given.settle({ nack: [{ handOut: tokenOf(first!), delayMs: null, reason: '' }] });
      expect(offsets(given.again({ parkedBlocks }))).toEqual(parkedBlocks ? [] : [1]);
    }
  });

  it('hands a replayed event out again, with all its attempts, and forgets a discarded one', () => {
    const given = new GivenSubscription();
    const granted = given.fresh(['a', 'b']);
    given.settle({ nack: granted.map((one) => ({ handOut: tokenOf(one), delayMs: null, reason: '' })) });
    const apply = (action: 'replay' | 'discard', events: EventRef[]) =>
      given.state.apply(
        { type: 'parked', id: 'p', action, events },
        { offset: ++given.offset, timestamp: given.now },
      ).changed;
    expect(apply('replay', [[source, 0, 0]])).toBe(1);
    expect(
      apply('discard', [
        [source, 0, 1],
        [source, 0, 0],
      ]),
    ).toBe(1);
    expect(given.again()).toMatchObject([{ offset: 0, attempt: 1 }]);
    expect(given.state.open).toBe(1);
  });

  it('has no more events out than its limit', () => {
    const given = new GivenSubscription();
    const granted = given.fresh([null, null, null], { most: 2 });
    expect(offsets(granted)).toEqual([0, 1]);
    given.settle({ ack: [tokenOf(granted[0]!)] });
    expect(offsets(given.again({ most: 2 }))).toEqual([2]);
  });

  it('parks an event only after the lease of its last attempt', () => {
    const given = new GivenSubscription();
    given.fresh(['a']);
    const park = [[source, 0, 0] as const];
    given.claim({ park });
    expect(given.state.counts).toMatchObject({ out: 1, parked: 0 });
    given.now += lease;
    given.claim({ park });
    expect(given.state.counts).toMatchObject({ out: 0, parked: 1 });
  });

  it('gives back what reached no worker, without taking an attempt', () => {
    const given = new GivenSubscription();
    const [first] = given.fresh(['a', 'a']);
    given.settle({ release: [tokenOf(first!)] });
    expect(given.again()).toMatchObject([{ offset: 0, attempt: 1 }]);
  });

  it('hands expired events out before others when there is no room, so that nothing waits for ever', () => {
    const given = new GivenSubscription();
    const [first] = given.fresh([null, null], { most: 1 });
    given.settle({ nack: [{ handOut: tokenOf(first!), delayMs: 500, reason: '' }] });
    expect(offsets(given.again({ most: 1 }))).toEqual([1]);
    given.now += lease;
    expect(offsets(given.again({ most: 1 }))).toEqual([1]);
  });

  it('frees what waits behind parked events once these do not block any more', () => {
    const given = new GivenSubscription();
    const [first] = given.fresh(['a', 'a']);
    given.settle({ nack: [{ handOut: tokenOf(first!), delayMs: null, reason: '' }] });
    expect(given.again()).toEqual([]);
    given.claim({ parkedBlocks: false });
    expect(offsets(given.again({ parkedBlocks: false }))).toEqual([1]);
  });

  it('counts a parked event once that a request names twice', () => {
    const given = new GivenSubscription();
    const [first] = given.fresh(['a', 'a', 'a']);
    given.settle({ nack: [{ handOut: tokenOf(first!), delayMs: null, reason: '' }] });
    const events: EventRef[] = [
      [source, 0, 0],
      [source, 0, 0],
    ];
    const position = { offset: ++given.offset, timestamp: given.now };
    expect(given.state.apply({ type: 'parked', id: 'p', action: 'discard', events }, position).changed).toBe(
      1,
    );
    const [second] = given.again();
    given.settle({ ack: [tokenOf(second!)] });
    expect(offsets(given.again())).toEqual([2]);
    expect(given.state.counts).toEqual({ out: 1, waiting: 0, retry: 0, parked: 0 });
  });

  it('finds an event that seemed to be due by a clock that was ahead', () => {
    const given = new GivenSubscription();
    given.fresh(['a']);
    expect(given.state.claimable(given.now + lease, { most: 10, room: 10 })).toHaveLength(1);
    expect(given.again()).toEqual([]);
    given.now += lease;
    expect(offsets(given.again())).toEqual([0]);
  });

  it('forgets everything when it is moved, and knows no token from before', () => {
    const given = new GivenSubscription();
    const [first] = given.fresh(['a', 'a']);
    const position = { offset: ++given.offset, timestamp: given.now };
    given.state.apply({ type: 'seek', id: 'x', positions: [[source, 0, 0]] }, position);
    expect(given.state.open).toBe(0);
    expect(given.settle({ ack: [tokenOf(first!)] })).toEqual(['unknown']);
    expect(offsets(given.fresh(['a', 'a']))).toEqual([0]);
    expect(given.settle({ ack: [tokenOf(first!)] })).toEqual(['expired']);
  });
});

/** The steps of a random run: what a worker or the time does. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('fresh' as const),
      entities: fc.array(fc.constantFrom('a', 'b', 'c', null), { minLength: 1, maxLength: 5 }),
    }),
    fc.constant({ kind: 'again' } as const),
    fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(30),
      as: fc.constantFrom('ack', 'nack', 'park', 'extend', 'release'),
    }),
    fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 500, lease, 4 * lease) }),
    fc.record({ kind: fc.constant('parked' as const), action: fc.constantFrom('replay', 'discard') }),
    fc.constant({ kind: 'restart' } as const),
  ),
  { maxLength: 60 },
);

describe('whatever workers do', () => {
  it.each([true, false])(
    'no event is out twice, none comes back, entities keep their order, and a snapshot is the state (parked blocks: %s)',
    (parkedBlocks) => {
      fc.assert(
        fc.property(steps, (all) => {
          const given = new GivenSubscription();
          const most = 4;
          let tokens: GrantedDelivery[] = [];
          /** The offsets that are acknowledged or discarded, and when the lease of each hand-out ends. */
          const done = new Set<number>();
          const until = new Map<number, number>();
          const parked = new Set<number>();
          const entityOf = new Map<number, string | null>();
          const check = (granted: readonly GrantedDelivery[]) => {
            for (const { offset, entity } of granted) {
              expect(done.has(offset), 'it was acknowledged').toBe(false);
              expect(until.get(offset) ?? 0, 'it is out').toBeLessThanOrEqual(given.now);
              for (const [other, same] of entityOf) {
                if (entity === null || same !== entity || other === offset || done.has(other)) continue;
                expect(until.get(other) ?? 0, 'another one of its entity is out').toBeLessThanOrEqual(
                  given.now,
                );
                if (other < offset && (parkedBlocks || !parked.has(other)))
                  expect.fail(`${other} of the same entity is not done before ${offset}`);
              }
              until.set(offset, given.now + lease);
              parked.delete(offset);
            }
            const out = [...until.values()].filter((end) => end > given.now).length;
            expect(out).toBeLessThanOrEqual(most);
            tokens.push(...granted);
          };
          for (const step of all) {
            if (step.kind === 'time') given.now += step.ms;
            if (step.kind === 'again') check(given.again({ most, parkedBlocks }));
            if (step.kind === 'fresh') {
              const from = given.state.nextOf(source, 0) ?? 0;
              for (const [i, entity] of step.entities.entries()) entityOf.set(from + i, entity);
              check(given.fresh(step.entities, { most, parkedBlocks }));
            }
            if (step.kind === 'parked') {
              const events = [...given.state.all('parked')].map((one): EventRef => [source, 0, one.offset]);
              if (step.action === 'discard') for (const [, , offset] of events) done.add(offset);
              if (step.action === 'replay') parked.clear();
              given.state.apply(
                { type: 'parked', id: 'p', action: step.action, events: 'all' },
                { offset: ++given.offset, timestamp: given.now },
              );
            }
            if (step.kind === 'restart') {
              const copy = new SubscriptionState();
              copy.restore(given.state.snapshot('s', given.offset, 150));
              expect(copy.snapshot('t', 0, 1e6)).toEqual(given.state.snapshot('t', 0, 1e6));
              const offsetsOf = (state: SubscriptionState) =>
                new Set(state.claimable(given.now, { most: 1_000, room: 1_000 }).map(({ offset }) => offset));
              expect(offsetsOf(copy)).toEqual(offsetsOf(given.state));
            }
            if (step.kind === 'settle' && tokens.length > 0) {
              const one = tokens[step.which % tokens.length]!;
              const handOut = tokenOf(one);
              const nack = (delayMs: number | null) => ({ nack: [{ handOut, delayMs, reason: '' }] });
              const commands = {
                ack: { ack: [handOut] },
                nack: nack(500),
                park: nack(null),
                extend: { extend: [handOut] },
                release: { release: [handOut] },
              };
              const held = given.state.find([source, 0, one.offset]);
              const isHeld = held?.status === 'out' && held.claim === one.claim;
              given.settle(commands[step.as]);
              if (!isHeld) continue;
              if (step.as === 'ack') done.add(one.offset);
              if (step.as === 'extend') until.set(one.offset, held.at);
              else until.delete(one.offset);
              if (step.as === 'park') parked.add(one.offset);
              tokens = tokens.filter((other) => other !== one);
            }
          }
          // Everything that is not parked comes in the end, and is acknowledged.
          for (let i = 0; i < 3 * entityOf.size + 3; i++) {
            given.now += 10 * lease;
            const granted = given.again({ most, parkedBlocks });
            check(granted);
            given.settle({ ack: granted.map(tokenOf) });
            for (const { offset } of granted) {
              done.add(offset);
              until.delete(offset);
            }
          }
          const { out, retry, waiting, parked: left } = given.state.counts;
          expect([out, retry]).toEqual([0, 0]);
          if (left === 0) expect(waiting).toBe(0);
          expect(done.size + left + waiting).toBe(entityOf.size);
        }),
        { numRuns: Number(process.env.RUNS ?? 300) },
      );
    },
  );
});
