import { Inject, Injectable, Optional } from '@nestjs/common';
import { ProblemError } from '#api';
import { UnknownTopicError, type TopicAdmin } from '#log';
import { LOG } from '../adapters/adapters.js';

export interface GroupLagBounds {
  /** Milliseconds that an answer of the log is used for. */
  keptMs: number;
  /** Questions to the log that are under way at once. */
  concurrent: number;
  /** Questions that are under way, waiting or answered lately; one more is refused. */
  most: number;
}

/** A consumer group, and what it reads. */
export interface ReadingGroup {
  /** Of what it does: a build of a projection, a run of a pipeline. */
  id: string;
  group: string;
  topics: readonly ReadTopic[];
}

export interface ReadTopic {
  topic: string;
  /** By partition, where it does not begin at the beginning. */
  starts?: readonly number[] | undefined;
  /** What the log has no more of it is read from the store, and counts. */
  isWhole?: boolean;
}

/** How far a group is. */
export interface Lag {
  /** Records that it has yet to look at. */
  lag: number;
  /** Records from where it began to the end of the log. */
  total: number;
}

export interface GroupLagFound extends Lag {
  /** By topic; those that are gone are left out. */
  partitions: ReadonlyMap<string, number>;
}

type Offsets = Awaited<ReturnType<TopicAdmin['offsets']>>;

const defaults = { keptMs: 1000, concurrent: 8, most: 20_000 };

interface Kept {
  /** In milliseconds of `performance.now()`; Infinity while it is under way. */
  until: number;
  answer: Promise<unknown>;
}

/** How far consumer groups are behind the log, from the offsets that they have committed. */
@Injectable()
export class GroupLag {
  private readonly bounds: GroupLagBounds;
  private readonly kept = new Map<string, Kept>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsets' | 'committedIn'> },
    @Optional() bounds: Partial<GroupLagBounds> = {},
  ) {
    this.bounds = { ...defaults, ...bounds };
  }

  /** By their ids; figures are up to a second old. @throws LogUnavailableError @throws ProblemError overloaded */
  async of(groups: readonly ReadingGroup[]): Promise<Map<string, GroupLagFound>> {
    this.forgetOld();
    return new Map(
      await Promise.all(
        groups.map(async (one): Promise<[string, GroupLagFound]> => [one.id, await this.ofGroup(one)]),
      ),
    );
  }

  private async ofGroup({ group, topics }: ReadingGroup): Promise<GroupLagFound> {
    const { admin } = this.log;
    const asked = await Promise.all(
      topics.map(async ({ topic, starts, isWhole }) => ({
        ...{ topic, starts, isWhole },
        offsets: await this.ask(topic, () => admin.offsets(topic).catch(noneWhenGone)),
      })),
    );
    const known = asked.filter(({ offsets }) => offsets.length > 0);
    const partitions = new Map(known.map(({ topic, offsets }) => [topic, offsets.length]));
    if (known.length === 0) return { lag: 0, total: 0, partitions };
    const question = [group, ...partitions.keys()].join(' ');
    const committed = await this.ask(question, () => admin.committedIn(group, partitions));
    const parts = known.flatMap(({ topic, starts, isWhole, offsets }) =>
      offsets.map(({ beginning, ...place }) =>
        lagOf({ ...place, beginning: isWhole ? 0 : beginning }, starts, committed.get(topic)),
      ),
    );
    const sum = (of: keyof Lag) => parts.reduce((all, part) => all + part[of], 0);
    return { lag: sum('lag'), total: sum('total'), partitions };
  }

  private ask<T>(what: string, question: () => Promise<T>): Promise<T> {
    const known = this.kept.get(what);
    if (known) return known.answer as Promise<T>;
    if (this.kept.size >= this.bounds.most) {
      const detail = 'Too many projections and pipelines are being looked at.';
      return Promise.reject(new ProblemError('overloaded', detail, { retryAfterSeconds: 1 }));
    }
    const kept: Kept = { until: Infinity, answer: this.inTurn(question) };
    this.kept.set(what, kept);
    kept.answer.then(
      () => (kept.until = performance.now() + this.bounds.keptMs),
      () => this.kept.delete(what),
    );
    return kept.answer as Promise<T>;
  }

  private forgetOld(): void {
    const now = performance.now();
    for (const [what, { until }] of this.kept) if (until <= now) this.kept.delete(what);
  }

  private async inTurn<T>(question: () => Promise<T>): Promise<T> {
    if (this.running >= this.bounds.concurrent)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await question();
    } finally {
      // Whoever comes next takes over the place.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

function lagOf(
  { partition, beginning, end }: { partition: number; beginning: number; end: number },
  starts: readonly number[] | undefined,
  committed: ReadonlyMap<number, number> | undefined,
): Lag {
  const start = Math.max(starts?.[partition] ?? 0, beginning);
  const next = Math.max(committed?.get(partition) ?? start, start);
  return { lag: Math.max(0, end - next), total: Math.max(0, end - start) };
}

function noneWhenGone(error: unknown): Offsets {
  if (error instanceof UnknownTopicError) return [];
  throw error;
}
