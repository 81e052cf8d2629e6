import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import type { Definitions } from '#registry';
import type { StoredDeadLetter, Store } from '#store';
import type { ReplayRequest } from './dead-letter-replayer.js';
import { isOfPipeline, PipelineDeadLetterReplayer } from './pipeline-replay.js';
import { ReplayAnswer } from './dead-letter-answers.js';
import { StreamDeadLetterReplayer } from './stream-replay.js';

/** Limit of dead letters of a source that one request replays. */
export const maxReplayedDeadLetters = 1_000;

/** Limits of one page of dead letters: their number, and the bytes of their records. One record may have a megabyte. */
const [pageSize, maxBytes] = [50, 8 * 1024 * 1024];

/** One page of the dead letters that a replay request selects. */
interface ReplaySelectionPage {
  items: StoredDeadLetter[];
  /** Requested ids that no dead letter has. */
  missing: string[];
  /** Cursor of the next page of a source; undefined after the last page. */
  nextCursor?: string | undefined;
}

/**
 * Replays dead letters. A pipeline continues with its dead letter at the operator that failed. A record that could not
 * become an event is written to its stream again. Dead letters of projections cannot be replayed.
 */
@Injectable()
export class DeadLetterReplayRunner {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'reader' | 'writer'>,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'audit'>,
    private readonly streams: StreamDeadLetterReplayer,
    private readonly pipelines: PipelineDeadLetterReplayer,
  ) {}

  /**
   * Replays the selected dead letters. If at least one dead letter was replayed, the audit stream records the request,
   * even when it fails later. A dry run is not recorded.
   * @throws InvalidCursorError, ProblemError 503, and errors of the log: some dead letters may have been replayed by
   * then
   */
  async run(request: ReplayRequest): Promise<ReplayAnswer> {
    const answer: ReplayAnswer = Object.assign(new ReplayAnswer(), {
      dry_run: request.dryRun,
      matched: 0,
      replayed: 0,
      skipped: 0,
      failed: [],
      events: [],
      has_more: false,
      next_cursor: null,
    });
    try {
      for await (const page of this.selected(request)) {
        await this.replayPage(page, request, answer);
        answer.next_cursor = page.nextCursor ?? null;
        answer.has_more = page.nextCursor !== undefined;
      }
    } finally {
      if (answer.replayed > 0 && !request.dryRun) await this.audit(request, answer);
    }
    return answer;
  }

  private async *selected({ permitted, choice, client }: ReplayRequest): AsyncGenerator<ReplaySelectionPage> {
    const { reader } = this.store;
    if ('source' in choice) {
      const query = { ...permitted, source: choice.source, replayed: false, maxBytes };
      let [left, cursor] = [maxReplayedDeadLetters, choice.cursor];
      do {
        const limit = Math.min(left, pageSize);
        const { items, nextCursor } = await reader.deadLetters({ ...query, cursor, limit }, client);
        left -= items.length;
        cursor = nextCursor;
        yield { items, missing: [], nextCursor };
      } while (cursor !== undefined && left > 0);
      return;
    }
    const all = [...new Set(choice.ids)];
    for (let i = 0; i < all.length; i += pageSize) {
      const ids = all.slice(i, i + pageSize);
      const missing = new Set(ids);
      let cursor: string | undefined;
      do {
        const query = { ...permitted, ids, limit: ids.length, maxBytes, cursor };
        const { items, nextCursor } = await reader.deadLetters(query, client);
        for (const { id } of items) missing.delete(id);
        cursor = nextCursor;
        yield { items, missing: cursor === undefined ? [...missing] : [] };
      } while (cursor !== undefined);
    }
  }

  private async replayPage(
    { items, missing }: ReplaySelectionPage,
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): Promise<void> {
    answer.matched += items.length;
    answer.failed.push(...missing.map((id) => ({ id, detail: 'there is no dead letter with this id' })));
    const fresh = items.filter(({ replayed_at }) => replayed_at === null);
    answer.skipped += items.length - fresh.length;
    const ofStreams = fresh.filter((one) => !isOfPipeline(one));
    for (const results of [
      this.pipelines.replay(fresh.filter(isOfPipeline), request, answer),
      this.streams.replay(ofStreams, request, answer),
    ])
      for await (const ids of results)
        if (ids.length > 0) await this.store.writer.markReplayed(ids, Date.now() * 1000);
  }

  private audit(
    { choice, actor }: ReplayRequest,
    { matched, replayed, skipped, failed }: ReplayAnswer,
  ): Promise<void> {
    const name = 'source' in choice ? choice.source : `${choice.ids.length} ids`;
    const after = { matched, replayed, skipped, failed: failed.length };
    const entry = { event_type: 'dead_letters.replayed', kind: 'dead_letters', name, after };
    return this.definitions.audit(entry, actor);
  }
}
