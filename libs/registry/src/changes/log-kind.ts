import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#api';
import { LogUnavailableError } from '#log';
import type { AuditTrail } from '../audit/audit-trail.js';
import { timeNow } from '../audit/audit-event.js';
import { keyText, newKey, type DefinitionRecord } from '../kind/definition-record.js';
import type { Actor, Changed, Kind, Next } from '../kind/kind.js';
import type { KindFold, Outcome } from '../kind/kind-fold.js';
import type { KindRules, SlotBody } from '../kind/kind-rules.js';
import { toProblem, type TopicWriter } from './topic-writer.js';
import type { Turns } from './turns.js';

export interface KindParts<T, P> {
  rules: KindRules<T, P>;
  /** The fold of the view that is served now. */
  fold: () => KindFold<T, P>;
  writer: TopicWriter;
  audit: AuditTrail;
  /** Changes of one definition wait for each other; within a process none loses to another. */
  turns: Turns;
  /** How many definitions there may be. */
  most: number;
  /** How many bytes their records may take in the topic, and about that in the memory of every process. */
  mostBytes: number;
  /** Resolves when the view has the record at this offset. @throws when that takes too long */
  caughtUp: (offset: number) => Promise<void>;
}

/** One change may lose so often to those of other processes. */
const maxTries = 20;
/** Milliseconds; grows with each try, and is shortened by chance so that two that collide do not meet again. */
const waitMs = 10;
/** A removal can be forgotten after this time: what was written before it has long been read and lost by then. */
const removalKeptMs = 24 * 60 * 60 * 1000;
/** Of those as many are forgotten with each change. */
const forgottenAtOnce = 100;
const unknownOutcome =
  'Kafka could not write the change in time. It is not known whether it holds: look before you repeat it.';

/** A kind whose changes go through the log: written with the revision they make, and the first of a revision wins. */
export class LogKind<T, P = T> implements Kind<T> {
  constructor(private readonly parts: KindParts<T, P>) {}

  get(name: string): T | undefined {
    return this.parts.fold().get(name);
  }

  all(): T[] {
    return this.parts.fold().all();
  }

  get size(): number {
    return this.parts.fold().size;
  }

  /** The definition that a change of this name is given: perhaps one of another name with the same identity. */
  sameAs(name: string): T | undefined {
    return this.parts.fold().held(this.parts.rules.identityOf(name)).value;
  }

  /** @throws ProblemError definition_limit_reached, or what the kind says */
  refuseFull(): void {
    if (this.size >= this.parts.most) throw this.parts.rules.full();
  }

  /** Changes of what is there go on: a key can be revoked whatever others have filled the topic with. */
  private refuseGrowth({ identity, slot, body }: DefinitionRecord): void {
    const { fold, rules, mostBytes } = this.parts;
    if (!body || fold().bytes < mostBytes || fold().held(identity).entry?.has(slot)) return;
    const detail = `The definitions of the kind ${rules.kind} take ${mostBytes} bytes already.`;
    throw new ProblemError('definition_limit_reached', detail);
  }

  async change(name: string, next: Next<T>, actor: Actor): Promise<Changed<T>> {
    const { rules, turns } = this.parts;
    const thing = `${rules.kind}:${rules.identityOf(name)}`;
    try {
      return await turns.take(thing, () => this.changeInTurn(name, next, actor));
    } catch (error) {
      throw toProblem(error, unknownOutcome);
    }
  }

  private async changeInTurn(name: string, next: Next<T>, actor: Actor): Promise<Changed<T>> {
    const identity = this.parts.rules.identityOf(name);
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await sleep(Math.random() * waitMs * tries);
      const { value: current, entry } = this.parts.fold().held(identity);
      // Of what `next` was given: a change that another process makes meanwhile wins.
      const revision = (entry?.head?.revision ?? 0) + 1;
      const wanted = await next(current);
      if (wanted === current) return { value: current, changed: false };
      if (current === undefined) this.refuseFull();
      const record = this.recordOf(identity, { wanted, revision, actor });
      this.refuseGrowth(record);
      const outcome = await this.write(record);
      if (!outcome.won) continue;
      await this.note(name, record, outcome);
      return { value: outcome.after, changed: true };
    }
    throw new ProblemError(
      'definition_conflict',
      'Others keep changing it at the same time: nothing is changed.',
    );
  }

  private recordOf(
    identity: string,
    { wanted, revision, actor }: { wanted: T | undefined; revision: number; actor: Actor },
  ): DefinitionRecord {
    const { rules, fold } = this.parts;
    const written = wanted === undefined ? undefined : asRead(rules, identity, rules.write(wanted));
    const { entry } = fold().held(identity);
    return {
      ...newKey(rules.kind, identity, written),
      revision,
      changed_at: timeNow(),
      changed_by: { key_id: actor.key_id, port: actor.port, request_id: actor.request_id },
      keeps: (written && entry?.keptBeside(written.slot)) ?? {},
      body: written?.body,
    };
  }

  /** The winner lets go of what it supersedes and of what is long removed, the loser of what it has written. */
  private async write(record: DefinitionRecord): Promise<Outcome<T>> {
    const { fold, writer, caughtUp } = this.parts;
    const key = keyText(record);
    let outcome: Outcome<T> | undefined;
    const unwatch = fold().watch(key, (settled) => (outcome = settled));
    try {
      await caughtUp(await writer.append(record));
    } finally {
      unwatch();
    }
    // The view was made anew meanwhile.
    if (!outcome) throw new LogUnavailableError('nobody has seen what became of the record');
    const old = fold().removedBefore(Date.now() - removalKeptMs, forgottenAtOnce);
    writer.tombstone(outcome.won ? [...outcome.superseded, ...old] : [key]);
    return outcome;
  }

  private async note(name: string, record: DefinitionRecord, outcome: Outcome<T>): Promise<void> {
    const { rules, audit } = this.parts;
    const { before, after, previous } = outcome;
    const event_type = rules.eventType(before, after);
    if (event_type === undefined) return;
    const change = {
      event_type,
      event_id: record.id,
      kind: rules.kind,
      name,
      before: before && rules.redact(before),
      after: after && rules.redact(after),
      revision: record.revision,
      changed_at: record.changed_at,
      ...(previous && {
        previous: {
          revision: previous.revision,
          changed_at: previous.changed_at,
          changed_by: previous.changed_by,
        },
      }),
    };
    await audit.changed(change, record.changed_by);
  }
}

/** What others will read. @throws UnreadableDefinitionError, before anything is written that nobody could read */
function asRead<T, P>(rules: KindRules<T, P>, identity: string, written: SlotBody): SlotBody {
  const body = JSON.parse(JSON.stringify(written.body)) as SlotBody['body'];
  rules.read(identity, { slot: written.slot, body });
  return { slot: written.slot, body };
}
