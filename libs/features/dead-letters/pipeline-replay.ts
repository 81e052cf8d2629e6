import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { EVENT_PRODUCER } from '#writing';
import { TopicAndGroupNames, UnreadableRecordError } from '#event';
import type { StreamAccess } from '#api';
import type { Definitions, PipelineDefinition } from '#registry';
import { UnknownTopicError, type Producer } from '#kafka';
import type { StoredDeadLetter, PipelineFailureLocation } from '#store';
import { isTooLargeRecord, eventFromRecord, replayValue, recordTooLarge, type Provenance } from '#dataflow';
import { compiledDefinition, VisiblePipelines } from '#features/pipelines';
import { erasedReason, erasureCovering } from './undo-erased-replays.js';
import type { ReplayAnswer } from './replay-answers.js';
import type { ReplayRequest, DeadLetterReplayer } from './dead-letter-replayer.js';
import { replayId } from './replayed-event-record.js';

interface PipelineReplayRecord {
  letter: StoredDeadLetter;
  run: string;
  id: string;
  /** Value of the Kafka record in the job's replay topic, encoded by `replayValue`. */
  value: string;
}

const noReplayTopic = 'no processor runs the pipeline: try again when one does';
const sourcePrefix = 'pipeline:';
/** Limit of records in flight to Kafka. One record may have some megabytes. */
const maxInFlight = 8;

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
    letters: readonly StoredDeadLetter[],
    { dryRun, headers, permitted: { access } }: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncGenerator<string[]> {
    const wanted: PipelineReplayRecord[] = [];
    for (const letter of letters) {
      const replay = this.replayOf(letter, access);
      if (typeof replay === 'string') answer.failed.push({ id: letter.id, detail: replay });
      else wanted.push(replay);
    }
    if (dryRun) {
      answer.replayed += wanted.length;
      return;
    }
    for (const run of new Set(wanted.map((one) => one.run))) {
      const ofRun = wanted.filter((one) => one.run === run);
      for (let i = 0; i < ofRun.length; i += maxInFlight) {
        const some = ofRun.slice(i, i + maxInFlight);
        const ids = some.map(({ letter }) => letter.id);
        if (await this.isTold(run, some, headers)) {
          answer.replayed += some.length;
          yield ids;
        } else answer.failed.push(...ids.map((id) => ({ id, detail: noReplayTopic })));
      }
    }
  }

  /**
   * Appends replays to the replay topic of a job. Resolves with false when the topic does not exist: processors create
   * it.
   */
  private async isTold(
    run: string,
    replays: readonly PipelineReplayRecord[],
    headers: Record<string, string>,
  ): Promise<boolean> {
    const place = { topic: this.topics.pipelineReplayTopic(run), partitions: 1, headers };
    try {
      await this.producer.append(replays.map(({ id, value }) => ({ ...place, key: id, value })));
      return true;
    } catch (error) {
      if (error instanceof UnknownTopicError) return false;
      throw error;
    }
  }

  /** Returns the replay to send to the job, or a sentence that says why the dead letter cannot be replayed. */
  private replayOf(letter: StoredDeadLetter, access: StreamAccess): PipelineReplayRecord | string {
    const { source, step, event, partition, offset } = letter;
    const name = source.slice(sourcePrefix.length);
    const definition = this.definitions.pipelines.get(name);
    if (!definition || !this.visible.permits(definition, access))
      return `there is no pipeline ${name} any more`;
    if (!step) return `the dead letter does not name the operator that failed: reset the pipeline ${name}`;
    const missingConfiguration = missingConfigurationOf(letter, step, definition) ?? this.streamIsGone(step);
    if (missingConfiguration !== undefined) return missingConfiguration;
    const { run, operator: at, stream, path } = step;
    const origin = { stream, partition, offset, path };
    const entityId = entityOf(event, origin);
    if (entityId !== null && typeof entityId !== 'string') return entityId.unreadable;
    if (entityId !== null && erasureCovering(this.definitions, letter, entityId)) return erasedReason;
    const id = replayId(letter);
    const value = replayValue({ id, at, version: definition.version, origin, event });
    return isTooLargeRecord(value) ? recordTooLarge : { letter, run, id, value };
  }

  private streamIsGone({ stream }: PipelineFailureLocation): string | undefined {
    if (stream === '' || this.definitions.stream(stream)?.state === 'live') return undefined;
    return `there is no stream ${stream} any more`;
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
    return `its window has closed: PUT the pipeline ${name} with more lateness and ?from=beginning to count the event`;
  if (reason === 'unreadable') return 'it is not an event';
  if (run !== definition.run.id)
    return `the pipeline ${name} has been reset since and reads its streams again`;
  if (failure !== null) return `the pipeline ${name} has failed: ${failure}`;
  if (!compiledDefinition(definition)?.entry(operator))
    return `the pipeline ${name} has no operator at ${operator} any more: reset it`;
  return undefined;
}

function entityOf(event: string, origin: Provenance): string | null | { unreadable: string } {
  try {
    return eventFromRecord(event, origin).event.entity_id;
  } catch (error) {
    if (error instanceof UnreadableRecordError) return { unreadable: `it cannot be read: ${error.message}` };
    throw error;
  }
}
