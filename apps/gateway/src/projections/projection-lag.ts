import { ProblemError, type TopicNames } from '#contracts';
import type { Definitions, ProjectionBuild } from '#definitions';
import { UnknownTopicError, type TopicAdmin } from '#log';

export interface ProjectionLagOptions {
  admin: Pick<TopicAdmin, 'offsets' | 'committedIn'>;
  definitions: Pick<Definitions, 'stream'>;
  topics: TopicNames;
  /** Milliseconds that an answer of the log is used for. */
  keptMs?: number;
  /** Questions to the log that are under way at once. */
  concurrent?: number;
  /** Questions that are under way, waiting or answered lately; one more is refused. */
  most?: number;
}

/** How far a build is. */
export interface BuildLag {
  /** Records that it has yet to look at. */
  lag: number;
  /** Records from where it began to the end of the log. */
  total: number;
}

const defaults = { keptMs: 1000, concurrent: 8, most: 20_000 };

interface Kept {
  /** In milliseconds of `performance.now()`; Infinity while it is under way. */
  until: number;
  answer: Promise<unknown>;
}

/** How far builds of projections are behind the log, from the offsets that their groups have committed. */
export class ProjectionLag {
  private readonly options: Required<ProjectionLagOptions>;
  private readonly kept = new Map<string, Kept>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(options: ProjectionLagOptions) {
    this.options = { ...defaults, ...options };
  }

  /** By the build's id; figures are up to a second old. @throws LogUnavailableError @throws ProblemError overloaded */
  async of(builds: readonly ProjectionBuild[]): Promise<Map<string, BuildLag>> {
    this.forgetOld();
    return new Map(
      await Promise.all(
        builds.map(async (build): Promise<[string, BuildLag]> => [build.id, await this.ofBuild(build)]),
      ),
    );
  }

  private async ofBuild({ id, sources }: ProjectionBuild): Promise<BuildLag> {
    const { admin, topics } = this.options;
    const group = topics.projectionGroup(id);
    const known = Object.entries(sources).flatMap(([stream, { created_at, starts }]) => {
      const definition = this.options.definitions.stream(stream);
      // A stream that is deleted, or made anew, is not read any more.
      if (definition?.state !== 'live' || definition.created_at !== created_at) return [];
      return [{ topic: topics.ofStream(stream), partitions: definition.partitions, starts }];
    });
    if (known.length === 0) return { lag: 0, total: 0 };
    const asked = new Map(known.map(({ topic, partitions }) => [topic, { partitions }]));
    const [committed, ...ends] = await Promise.all([
      this.ask([group, ...asked.keys()].join(' '), () => admin.committedIn(group, asked)),
      ...known.map(({ topic }) => this.ask(topic, () => admin.offsets(topic).catch(noneWhenGone))),
    ]);
    const parts = known.flatMap(({ topic, starts }, i) =>
      (ends[i] ?? []).map((offsets) => lagOf(offsets, starts, committed.get(topic))),
    );
    const sum = (of: keyof BuildLag) => parts.reduce((all, part) => all + part[of], 0);
    return { lag: sum('lag'), total: sum('total') };
  }

  /** Those who ask the same at the same time share one question. */
  private ask<T>(what: string, question: () => Promise<T>): Promise<T> {
    const known = this.kept.get(what);
    if (known) return known.answer as Promise<T>;
    if (this.kept.size >= this.options.most) {
      const detail = 'Too many projections are being looked at.';
      return Promise.reject(new ProblemError('overloaded', detail, { retryAfterSeconds: 1 }));
    }
    const kept: Kept = { until: Infinity, answer: this.inTurn(question) };
    this.kept.set(what, kept);
    kept.answer.then(
      () => (kept.until = performance.now() + this.options.keptMs),
      () => this.kept.delete(what),
    );
    return kept.answer as Promise<T>;
  }

  private forgetOld(): void {
    const now = performance.now();
    for (const [what, { until }] of this.kept) if (until <= now) this.kept.delete(what);
  }

  private async inTurn<T>(question: () => Promise<T>): Promise<T> {
    if (this.running >= this.options.concurrent)
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

/** What the log has no more is read from the store: it counts. */
function lagOf(
  { partition, end }: { partition: number; end: number },
  starts: readonly number[] | undefined,
  committed: ReadonlyMap<number, number> | undefined,
): BuildLag {
  const start = starts?.[partition] ?? 0;
  const next = Math.max(committed?.get(partition) ?? start, start);
  return { lag: Math.max(0, end - next), total: Math.max(0, end - start) };
}

function noneWhenGone(error: unknown): [] {
  if (error instanceof UnknownTopicError) return [];
  throw error;
}
