import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { EVENT_PRODUCER } from '#writing';
import { TopicAndGroupNames, UnreadableRecordError } from '#event';
import type { StreamAccess } from '#api';
import type { Definitions } from '#registry';
import type { PipelineDefinition } from '#features/pipelines/definition';
import { UnknownTopicError, type Producer } from '#kafka';
import type { StoredDeadLetter, PipelineFailureLocation } from '#store';
import {
  isTooLargeRecord,
  eventFromRecord,
  replayValue,
  recordTooLarge,
  lateReason,
} from '#features/pipelines/computation';
import { compiledDefinition, VisiblePipelines } from '#features/pipelines';
import {
  erasedReason,
  erasureCovering,
  maxInFlight,
  replayId,
  type DeadLetterReplayer,
  type ReplayRequest,
} from './dead-letter-replayer.js';
import type { ReplayAnswer } from './dead-letter-answers.js';

interface PipelineReplay {
  deadLetterId: string;
  job: string;
  /** Key of the record in the job's replay topic. */
  key: string;
  /** Value of the record, encoded by `replayValue`. */
  value: string;
}

const noReplayTopic = 'no processor runs the pipeline: try again when one does';
const sourcePrefix = 'pipeline:';

export function isOfPipeline({ source }: StoredDeadLetter): boolean {
  return source.startsWith(sourcePrefix);
}

/**
 * Sends dead letters of pipelines to the jobs that failed on them. A job continues with each dead letter at the
 * operator that failed. Within the id window, a job processes the same dead letter once, however often it is sent.
 */
@Injectable()
export class PipelineDeadLetterReplayer implements DeadLetterReplayer {
  constructor(
    @Inject(EVENT_PRODUCER) private readonly producer: Pick<Producer, 'append'>,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream' | 'erasures' | 'pipelines'>,
    private readonly visible: VisiblePipelines,
    private readonly topics: TopicAndGroupNames,
  ) {}

  async *replay(
    deadLetters: readonly StoredDeadLetter[],
    { dryRun, headers, permitted: { access } }: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncGenerator<string[]> {
    const replays: PipelineReplay[] = [];
    for (const deadLetter of deadLetters) {
      const replay = this.replayOf(deadLetter, access);
      if (typeof replay === 'string') answer.failed.push({ id: deadLetter.id, detail: replay });
      else replays.push(replay);
    }
    if (dryRun) {
      answer.replayed += replays.length;
      return;
    }
    for (const job of new Set(replays.map((one) => one.job))) {
      const ofJob = replays.filter((one) => one.job === job);
      for (let i = 0; i < ofJob.length; i += maxInFlight) {
        const some = ofJob.slice(i, i + maxInFlight);
        const ids = some.map(({ deadLetterId }) => deadLetterId);
        if (await this.isSent(job, some, headers)) {
          answer.replayed += some.length;
          yield ids;
        } else answer.failed.push(...ids.map((id) => ({ id, detail: noReplayTopic })));
      }
    }
  }

  /** Writes to the replay topic of a job. Resolves with false when the topic does not exist: processors create it. */
  private async isSent(
    job: string,
    replays: readonly PipelineReplay[],
    headers: Record<string, string>,
  ): Promise<boolean> {
    const to = { topic: this.topics.pipelineReplayTopic(job), partitions: 1, headers };
    try {
      await this.producer.append(replays.map(({ key, value }) => ({ ...to, key, value })));
      return true;
    } catch (error) {
      if (error instanceof UnknownTopicError) return false;
      throw error;
    }
  }

  /** Returns the replay to send to the job, or a sentence that says why the dead letter cannot be replayed. */
  private replayOf(deadLetter: StoredDeadLetter, access: StreamAccess): PipelineReplay | string {
    const { source, step, event, partition, offset } = deadLetter;
    const name = source.slice(sourcePrefix.length);
    const definition = this.definitions.pipelines.get(name);
    if (!definition || !this.visible.permits(definition, access))
      return `there is no pipeline ${name} any more`;
    if (!step) return `the dead letter does not name the operator that failed: reset the pipeline ${name}`;
    const { run: job, operator: at, stream, path, expected } = step;
    const missingConfiguration = missingConfigurationOf(deadLetter, step, definition);
    if (missingConfiguration !== undefined) return missingConfiguration;
    if (stream !== '' && this.definitions.stream(stream)?.state !== 'live')
      return `there is no stream ${stream} any more`;
    const origin = { stream, partition, offset, path, ...(expected !== undefined && { expected }) };
    try {
      const { entity_id: entityId } = eventFromRecord(event, origin).event;
      if (erasureCovering(this.definitions, deadLetter, entityId)) return erasedReason;
    } catch (error) {
      if (error instanceof UnreadableRecordError) return `it cannot be read: ${error.message}`;
      throw error;
    }
    const key = replayId(deadLetter);
    const value = replayValue({ id: key, at, version: definition.version, origin, event });
    return isTooLargeRecord(value) ? recordTooLarge : { deadLetterId: deadLetter.id, job, key, value };
  }
}

/** Returns why the current definition of the pipeline cannot continue with a dead letter; undefined when it can. */
function missingConfigurationOf(
  { reason }: StoredDeadLetter,
  { run, operator }: PipelineFailureLocation,
  definition: PipelineDefinition,
): string | undefined {
  const { name, failure } = definition;
  // Without more lateness, the event would be late again: see decision 0019.
  if (reason === 'late_event')
    return `it arrived too late (${lateReason(operator)}): PUT the pipeline ${name} with more lateness and ?from=beginning to count the event`;
  if (reason === 'unreadable') return 'it is not an event';
  if (run !== definition.run.id)
    return `the pipeline ${name} has been reset since and reads its streams again`;
  if (failure !== null) return `the pipeline ${name} has failed: ${failure}`;
  if (!compiledDefinition(definition)?.entry(operator))
    return `the pipeline ${name} has no operator at ${operator} any more: reset it`;
  return undefined;
}
