import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#api';
import { LogUnavailableError } from '#kafka';
import { timeNow, type AuditWriter } from '../audit/audit-writer.js';
import { keyText, newKey, type DefinitionChangeRecord } from '../resources/definition-change-record.js';
import type {
  Actor,
  DefinitionChangeResult,
  ResourceStore,
  ComputeNextDefinition,
} from '../resources/resource-store.js';
import type { ResourceView, DefinitionWriteOutcome } from '../resources/resource-view.js';
import type { ResourceRules, StoredDefinitionPart } from '../resources/resource-kind.js';
import { logErrorToProblem, type DefinitionsTopicWriter } from './definitions-topic-writer.js';
import type { KeyedMutex } from './keyed-mutex.js';
import './definition-problems.js';

/** What the stores of all kinds share, and the limits of one kind. */
interface LogResourceStoreDependencies {
  follower: {
    /** The current view. A new view replaces it after a failure of the topic's reader. */
    readonly view: { of<T, P>(rules: ResourceRules<T, P>): ResourceView<T, P> };
    caughtUp(offset: number, timeoutMs: number): Promise<void>;
  };
  writer: DefinitionsTopicWriter;
  audit: AuditWriter;
  /** Serializes the changes of one definition, so that changes of one process never conflict. */
  mutex: KeyedMutex;
  /** Maximum number of definitions of this kind. */
  most: number;
  /** Maximum size of this kind's records in the definitions topic, in bytes. They take as much memory in each process. */
  mostBytes: number;
}

/** Most attempts of one change. An attempt fails if another process changes the definition at the same time. */
const maxTries = 20;
/** Milliseconds of back-off per attempt. The wait is random, so that two conflicting changes do not conflict again. */
const waitMs = 10;
/** Longest time, in milliseconds, that a change waits until the view contains the record that it has written. */
const viewTimeoutMs = 10_000;
/** Milliseconds after which the record of a removal can be deleted: every older record has been read and has lost. */
const removalKeptMs = 24 * 60 * 60 * 1000;
/** Keys of removed definitions' records after which one change tombstones no further definition. */
const forgottenAtOnce = 100;
const unknownOutcome =
  'Kafka did not confirm the change in time. It is unknown whether the change is in effect: check before you repeat it.';

/**
 * The definitions of one kind: reads come from the materialized view, changes are written to the definitions topic. A
 * change is written with the next revision number; of several records with the same revision, the one with the lowest
 * offset wins.
 */
export class LogResourceStore<T, P = T> implements ResourceStore<T> {
  constructor(
    private readonly rules: ResourceRules<T, P>,
    private readonly dependencies: LogResourceStoreDependencies,
  ) {}

  private get view(): ResourceView<T, P> {
    return this.dependencies.follower.view.of(this.rules);
  }

  get(name: string): T | undefined {
    return this.view.get(name);
  }

  all(): T[] {
    return this.view.all();
  }

  get size(): number {
    return this.view.size;
  }

  /**
   * Returns the definition with the same identity as this name. The stored definition may have another name: Kafka
   * cannot distinguish the streams `a.b` and `a_b`, so they share an identity.
   */
  sameAs(name: string): T | undefined {
    return this.view.current(this.rules.identityOf(name)).value;
  }

  /**
   * Checks that there is room for one more definition.
   * @throws ProblemError definition_limit_reached, or the kind's own problem
   */
  refuseFull(): void {
    if (this.size >= this.dependencies.most) throw this.rules.full();
  }

  /**
   * Checks the kind's limit of bytes in the topic. Changes of an existing sub-record always pass the check: a key can
   * be revoked even if the topic is full.
   */
  private refuseGrowth({ identity, slot, body }: DefinitionChangeRecord): void {
    const { view, rules } = this;
    const { mostBytes } = this.dependencies;
    if (!body || view.bytes < mostBytes || view.current(identity).history?.has(slot)) return;
    const detail = `The definitions of the kind ${rules.kind} have reached the limit of ${mostBytes} bytes.`;
    throw new ProblemError('definition_limit_reached', detail);
  }

  async change(
    name: string,
    next: ComputeNextDefinition<T>,
    actor: Actor,
  ): Promise<DefinitionChangeResult<T>> {
    const identity = this.rules.identityOf(name);
    const change = () => this.changeExclusively({ name, identity }, next, actor);
    try {
      return await this.dependencies.mutex.runExclusive(`${this.rules.kind}:${identity}`, change);
    } catch (error) {
      throw logErrorToProblem(error, unknownOutcome);
    }
  }

  private async changeExclusively(
    { name, identity }: { name: string; identity: string },
    next: ComputeNextDefinition<T>,
    actor: Actor,
  ): Promise<DefinitionChangeResult<T>> {
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await sleep(Math.random() * waitMs * tries);
      const { value: current, history } = this.view.current(identity);
      // The revision follows the value that `next` receives: a change that another process makes meanwhile wins.
      const revision = (history?.latest?.revision ?? 0) + 1;
      const desired = await next(current);
      if (desired === current) return { value: current, changed: false };
      if (current === undefined) this.refuseFull();
      const record = this.recordOf(identity, { desired, revision, actor });
      this.refuseGrowth(record);
      const outcome = await this.write(record);
      if (!outcome.won) continue;
      await this.note(name, record, outcome);
      return { value: outcome.after, changed: true };
    }
    throw new ProblemError(
      'definition_conflict',
      'Concurrent changes of the same definition won every attempt: nothing is changed.',
    );
  }

  private recordOf(
    identity: string,
    { desired, revision, actor }: { desired: T | undefined; revision: number; actor: Actor },
  ): DefinitionChangeRecord {
    const written = desired === undefined ? undefined : this.asRead(identity, this.rules.write(desired));
    const { history } = this.view.current(identity);
    return {
      ...newKey(this.rules.kind, identity, written),
      revision,
      changed_at: timeNow(),
      changed_by: { key_id: actor.key_id, port: actor.port, request_id: actor.request_id },
      keeps: (written && history?.keptBeside(written.slot)) ?? {},
      body: written?.body,
    };
  }

  /**
   * Returns the sub-record as other processes will read it.
   * @throws UnreadableDefinitionError if they could not read it; nothing is written then
   */
  private asRead(identity: string, { slot, body }: StoredDefinitionPart): StoredDefinitionPart {
    const part = { slot, body: JSON.parse(JSON.stringify(body)) as StoredDefinitionPart['body'] };
    this.rules.read(identity, part);
    return part;
  }

  /**
   * Writes a record and waits until this process's view has applied it. If the record wins its revision, tombstones are
   * written for the records that it supersedes and for those of old removals; if it loses, a tombstone is written for
   * the record itself.
   */
  private async write(record: DefinitionChangeRecord): Promise<DefinitionWriteOutcome<T>> {
    const { follower, writer } = this.dependencies;
    const key = keyText(record);
    let outcome: DefinitionWriteOutcome<T> | undefined;
    const unwatch = this.view.watch(key, (settled) => (outcome = settled));
    try {
      await follower.caughtUp(await writer.append(record), viewTimeoutMs);
    } finally {
      unwatch();
    }
    // The materialized view was replaced while the record was written, so nobody observed its outcome.
    if (!outcome)
      throw new LogUnavailableError('the outcome of the record was lost when the view was replaced');
    const old = this.view.removedBefore(Date.now() - removalKeptMs, forgottenAtOnce);
    writer.tombstone(outcome.won ? [...outcome.superseded, ...old] : [key]);
    return outcome;
  }

  private async note(
    name: string,
    record: DefinitionChangeRecord,
    { before, after, previous }: DefinitionWriteOutcome<T>,
  ): Promise<void> {
    const { rules } = this;
    const event_type = rules.eventType(before, after);
    if (event_type === undefined) return;
    const { id: event_id, revision, changed_at, changed_by } = record;
    const change = {
      event_type,
      event_id,
      kind: rules.kind,
      name,
      before: before && rules.redact(before),
      after: after && rules.redact(after),
      revision,
      changed_at,
      previous: previous && {
        revision: previous.revision,
        changed_at: previous.changed_at,
        changed_by: previous.changed_by,
      },
    };
    await this.dependencies.audit.changed(change, changed_by);
  }
}
