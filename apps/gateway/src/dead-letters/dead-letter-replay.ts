import type { Micros } from '#event';
import type { Definitions } from '#registry';
import type { EventReader, EventWriter, FoundDeadLetter } from '#store';
import { chosenLetters, type LetterPage } from './chosen-letters.js';
import { isOfPipeline, PipelineReplay, type PipelineReplayParts } from './pipeline-replay.js';
import { ReplayAnswer } from './replay-answers.js';
import type { ReplayRequest, ReplayWay } from './replay-way.js';
import { StreamReplay, type StreamReplayParts } from './stream-replay.js';

export interface DeadLetterReplayParts extends StreamReplayParts, PipelineReplayParts {
  reader: Pick<EventReader, 'deadLetters' | 'byId'>;
  writer: Pick<EventWriter, 'markReplayed'>;
  definitions: StreamReplayParts['definitions'] &
    PipelineReplayParts['definitions'] &
    Pick<Definitions, 'audit'>;
}

/** Dead letters that one request replays. */
export const mostReplayed = 1_000;

/** Replays dead letters: those of pipelines go on where they stopped, others are written to their streams once more. */
export class DeadLetterReplay {
  private readonly streams: ReplayWay;
  private readonly pipelines: ReplayWay;

  constructor(
    private readonly parts: DeadLetterReplayParts,
    private readonly now: () => Micros = () => Date.now() * 1000,
  ) {
    this.streams = new StreamReplay(parts, now);
    this.pipelines = new PipelineReplay(parts);
  }

  /**
   * What was replayed is in the audit, also when it ends early.
   * @throws InvalidCursorError, ProblemError 503, and errors of the log: then some may have been replayed
   */
  async run(request: ReplayRequest): Promise<ReplayAnswer> {
    const { reader } = this.parts;
    const { permitted, choice, client: signal, dryRun } = request;
    const answer: ReplayAnswer = Object.assign(new ReplayAnswer(), {
      ...{ dry_run: dryRun, matched: 0, replayed: 0, skipped: 0, failed: [], events: [] },
      ...{ has_more: false, next_cursor: null },
    });
    try {
      for await (const page of chosenLetters({ reader, permitted, choice, limit: mostReplayed, signal })) {
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
    return this.parts.definitions.audit(entry, actor);
  }

  private async replayPage(page: LetterPage, request: ReplayRequest, answer: ReplayAnswer): Promise<void> {
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
    way: ReplayWay,
    letters: readonly FoundDeadLetter[],
    { request, answer }: { request: ReplayRequest; answer: ReplayAnswer },
  ): Promise<void> {
    for await (const done of way.replay(letters, request, answer))
      if (done.length > 0) await this.parts.writer.markReplayed(done, this.now());
  }
}
