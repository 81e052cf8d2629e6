import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import type { Definitions } from '#registry';
import type { StoredDeadLetter, Store } from '#store';
import { selectedDeadLetters, type ReplaySelectionPage } from './selected-dead-letters.js';
import { isOfPipeline, PipelineDeadLetterReplayer } from './pipeline-replay.js';
import { ReplayAnswer } from './replay-answers.js';
import type { ReplayRequest, DeadLetterReplayer } from './dead-letter-replayer.js';
import { StreamDeadLetterReplayer } from './stream-replay.js';

/** Limit of dead letters that one request replays. */
export const maxReplayedDeadLetters = 1_000;

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
    const { reader } = this.store;
    const { permitted, choice, client: signal, dryRun } = request;
    const answer: ReplayAnswer = Object.assign(new ReplayAnswer(), {
      ...{ dry_run: dryRun, matched: 0, replayed: 0, skipped: 0, failed: [], events: [] },
      ...{ has_more: false, next_cursor: null },
    });
    try {
      for await (const page of selectedDeadLetters({
        reader,
        permitted,
        choice,
        limit: maxReplayedDeadLetters,
        signal,
      })) {
        await this.replayPage(page, request, answer);
        answer.next_cursor = page.nextCursor ?? null;
        answer.has_more = page.nextCursor !== undefined;
      }
    } finally {
      if (answer.replayed > 0 && !dryRun) await this.audit(request, answer);
    }
    return answer;
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

  private async replayPage(
    page: ReplaySelectionPage,
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): Promise<void> {
    const { letters, missing } = page;
    answer.matched += letters.length;
    answer.failed.push(...missing.map((id) => ({ id, detail: 'there is no dead letter with this id' })));
    const fresh = letters.filter(({ replayed_at }) => replayed_at === null);
    answer.skipped += letters.length - fresh.length;
    const ofPipelines = fresh.filter(isOfPipeline);
    await this.replayBy(this.pipelines, ofPipelines, { request, answer });
    const others = fresh.filter((letter) => !isOfPipeline(letter));
    await this.replayBy(this.streams, others, { request, answer });
  }

  private async replayBy(
    way: DeadLetterReplayer,
    letters: readonly StoredDeadLetter[],
    { request, answer }: { request: ReplayRequest; answer: ReplayAnswer },
  ): Promise<void> {
    for await (const done of way.replay(letters, request, answer))
      if (done.length > 0) await this.store.writer.markReplayed(done, Date.now() * 1000);
  }
}
