import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOG } from '#app';
import { ProblemError } from '#api';
import { formatTime, type EpochMicros } from '#json';
import { TopicAndGroupNames } from '#event';
import type { Definitions, SourceStreamWithStartOffsets } from '#registry';
import type { TopicAdmin } from '#kafka';
import { offsetsIfExists, type ConsumedTopic } from '../lag/group-lag-reader.js';
import { startAt, type LogIsShorter } from './start-at.js';

/** The beginning of the streams, their end, or the first events that arrived at an instant or later. */
export type StartPosition = 'beginning' | 'now' | EpochMicros;

/** The streams that a definition reads, and where it starts in them. */
interface SourceSpec {
  /** JSON pointers to where the definition names the streams, by stream name. */
  streams: ReadonlyMap<string, string>;
  from: StartPosition;
  /** JSON pointer to where the request names the start. Default: `/from`. */
  fromPointer?: string;
}

/** A new generation of a projection or job of a pipeline, with its bound streams and their start offsets. */
interface NewGenerationOrJob {
  /** Id of the generation or job: 24 random hexadecimal digits. */
  id: string;
  sources: Record<string, SourceStreamWithStartOffsets>;
  started_at: string;
}

const idBytes = 12;

/** Binds the stream names of a definition to stream ids, because a name may later belong to another stream. */
@Injectable()
export class NewGenerationOrJobFactory {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream'>,
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsets' | 'offsetsAt'> },
    private readonly topics: TopicAndGroupNames,
  ) {}

  /**
   * Resolves with a new id and the bound sources, with their start offsets.
   * @throws ProblemError 404 `stream_not_found`; 400 if the log no longer reaches back to the instant
   * @throws LogUnavailableError
   */
  async begin({ streams, from, fromPointer = '/from' }: SourceSpec): Promise<NewGenerationOrJob> {
    const sources = [...streams].map(async ([stream, pointer]) => {
      const source = await this.sourceOf(stream, from);
      if (!source) throw missingStream(stream, pointer);
      if ('reachesTo' in source) throw tooEarly(stream, source, fromPointer);
      return [stream, source] as const;
    });
    return {
      id: randomBytes(idBytes).toString('hex'),
      sources: Object.fromEntries(await Promise.all(sources)),
      started_at: formatTime(Date.now() * 1000),
    };
  }

  private async sourceOf(
    stream: string,
    from: StartPosition,
  ): Promise<SourceStreamWithStartOffsets | LogIsShorter | undefined> {
    const definition = this.definitions.stream(stream);
    if (definition?.state !== 'live') return undefined;
    const { id } = definition;
    if (from === 'beginning') return { id };
    if (from !== 'now') {
      const start = await startAt(this.log.admin, this.topics.ofStream(id), { ...definition, instant: from });
      return Array.isArray(start) ? { id, starts: start } : start;
    }
    const offsets = await offsetsIfExists(this.log.admin, this.topics.ofStream(id));
    return offsets && { id, starts: offsets.map(({ end }) => end) };
  }
}

function missingStream(stream: string, pointer: string): ProblemError {
  const detail = `there is no stream ${stream}`;
  const how = 'The first event of a stream creates it, and so does POST /api/v1/streams.';
  return new ProblemError('stream_not_found', `The definition cannot start: ${detail}. ${how}`, {
    errors: [{ pointer, detail }],
  });
}

function tooEarly(stream: string, { reachesTo }: LogIsShorter, pointer: string): ProblemError {
  const reason =
    reachesTo === undefined
      ? `the log of ${stream} may have lost events since then, and has none in one of its partitions`
      : `the log of ${stream} reaches back to ${formatTime(reachesTo)}`;
  const detail = `${reason}; \`beginning\` reads everything, and \`now\` what arrives from now on`;
  return new ProblemError('invalid_request', `This start is too early: ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}

/** Returns the topics of bound sources. A stream that was deleted (and perhaps created again) is no longer read. */
export function readTopics(
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>,
  { definitions, topics }: { definitions: Pick<Definitions, 'stream'>; topics: TopicAndGroupNames },
): ConsumedTopic[] {
  return Object.entries(sources).flatMap(([stream, { id, starts }]) => {
    const definition = definitions.stream(stream);
    if (definition?.state !== 'live' || definition.id !== id) return [];
    return [{ topic: topics.ofStream(id), starts }];
  });
}
