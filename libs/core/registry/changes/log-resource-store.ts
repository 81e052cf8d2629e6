import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#api';
import { LogUnavailableError } from '#kafka';
import type { AuditWriter } from '../audit/audit-writer.js';
import { timeNow } from '../audit/audit-event.js';
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

/** Rules, view, writers and limits of a `LogResourceStore`. */
interface LogResourceStoreOptions<T, P> {
  rules: ResourceRules<T, P>;
  /**
   * Returns the current materialized view of this kind of definition; a new view replaces it after a failure of the
   * topic's reader.
   */
  fold: () => ResourceView<T, P>;
  writer: DefinitionsTopicWriter;
  audit: AuditWriter;
  /** Serializes the changes of one definition, so that changes of one process never conflict. */
  mutex: KeyedMutex;
  /** Maximum number of definitions of this kind. */
  most: number;
  /**
   * Maximum size of this kind's records in the definitions topic, in bytes. The definitions take about as much memory
   * in every process.
   */
  mostBytes: number;
  /**
   * Resolves when this process's view contains the record at this offset of the definitions topic. @throws
   * LogUnavailableError if that takes too long
   */
  caughtUp: (offset: number) => Promise<void>;
}

/**
 * Maximum number of attempts of one change. An attempt fails if another process changes the same definition at the same
 * time.
 */
const maxTries = 20;
/**
 * Milliseconds of back-off per attempt of a change. The wait is random, so that two conflicting changes do not conflict
 * again.
 */
const waitMs = 10;
/**
 * Milliseconds after which the record of a removal can be deleted: by then, every older record has been read and has
 * lost.
 */
const removalKeptMs = 24 * 60 * 60 * 1000;
/**
 * The most keys of records of removed definitions that one change tombstones; all records of the last such definition
 * are included.
 */
const forgottenAtOnce = 100;
const unknownOutcome =
  'Kafka did not confirm the change in time. It is unknown whether the change is in effect: check before you repeat it.';

/**
 * The definitions of one kind: reads come from the materialized view, changes are written to the definitions topic. A
 * change is written with the next revision number; of several records with the same revision, the one with the lowest
 * offset wins.
 */
export class LogResourceStore<T, P = T> implements ResourceStore<T> {
  constructor(private readonly options: LogResourceStoreOptions<T, P>) {}

  get(name: string): T | undefined {
    return this.options.fold().get(name);
  }

  all(): T[] {
    return this.options.fold().all();
  }

  get size(): number {
    return this.options.fold().size;
  }

  /**
   * Returns the definition with the same identity as this name. The stored definition may have another name: Kafka
   * cannot distinguish the streams `a.b` and `a_b`, so they share an identity.
   */
  sameAs(name: string): T | undefined {
    return this.options.fold().held(this.options.rules.identityOf(name)).value;
  }

  /**
   * Checks that there is room for one more definition.
   * @throws ProblemError definition_limit_reached, or the kind's own problem
   */
  refuseFull(): void {
    if (this.size >= this.options.most) throw this.options.rules.full();
  }

  /**
   * Checks the kind's limit of bytes in the topic. Changes of an existing sub-record always pass the check: a key can
   * be revoked even if the topic is full.
   */
  private refuseGrowth({ identity, slot, body }: DefinitionChangeRecord): void {
    const { fold, rules, mostBytes } = this.options;
    if (!body || fold().bytes < mostBytes || fold().held(identity).entry?.has(slot)) return;
    const detail = `The definitions of the kind ${rules.kind} have reached the limit of ${mostBytes} bytes.`;
    throw new ProblemError('definition_limit_reached', detail);
  }

  async change(
    name: string,
    next: ComputeNextDefinition<T>,
    actor: Actor,
  ): Promise<DefinitionChangeResult<T>> {
    const { rules, mutex } = this.options;
    const thing = `${rules.kind}:${rules.identityOf(name)}`;
    try {
      return await mutex.take(thing, () => this.changeExclusively(name, next, actor));
    } catch (error) {
      throw logErrorToProblem(error, unknownOutcome);
    }
  }

  private async changeExclusively(
    name: string,
    next: ComputeNextDefinition<T>,
    actor: Actor,
  ): Promise<DefinitionChangeResult<T>> {
    const identity = this.options.rules.identityOf(name);
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await sleep(Math.random() * waitMs * tries);
      const { value: current, entry } = this.options.fold().held(identity);
      // The revision follows the value that `next` receives: a change that another process makes meanwhile wins.
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
      'Concurrent changes of the same definition won every attempt: nothing is changed.',
    );
  }

  private recordOf(
    identity: string,
    { wanted, revision, actor }: { wanted: T | undefined; revision: number; actor: Actor },
  ): DefinitionChangeRecord {
    const { rules, fold } = this.options;
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

  /**
   * Writes a record and waits until this process's view has applied it. If the record wins its revision, tombstones are
   * written for the records that it supersedes and for those of old removals; if it loses, a tombstone is written for
   * the record itself.
   */
  private async write(record: DefinitionChangeRecord): Promise<DefinitionWriteOutcome<T>> {
    const { fold, writer, caughtUp } = this.options;
    const key = keyText(record);
    let outcome: DefinitionWriteOutcome<T> | undefined;
    const unwatch = fold().watch(key, (settled) => (outcome = settled));
    try {
      await caughtUp(await writer.append(record));
    } finally {
      unwatch();
    }
    // The materialized view was replaced while the record was written, so nobody observed its outcome.
    if (!outcome)
      throw new LogUnavailableError('the outcome of the record was lost when the view was replaced');
    const old = fold().removedBefore(Date.now() - removalKeptMs, forgottenAtOnce);
    writer.tombstone(outcome.won ? [...outcome.superseded, ...old] : [key]);
    return outcome;
  }

  private async note(
    name: string,
    record: DefinitionChangeRecord,
    outcome: DefinitionWriteOutcome<T>,
  ): Promise<void> {
    const { rules, audit } = this.options;
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

/**
 * Returns the sub-record as other processes will read it.
 * @throws UnreadableDefinitionError if they could not read it; nothing is written then
 */
function asRead<T, P>(
  rules: ResourceRules<T, P>,
  identity: string,
  written: StoredDefinitionPart,
): StoredDefinitionPart {
  const body = JSON.parse(JSON.stringify(written.body)) as StoredDefinitionPart['body'];
  rules.read(identity, { slot: written.slot, body });
  return { slot: written.slot, body };
}
