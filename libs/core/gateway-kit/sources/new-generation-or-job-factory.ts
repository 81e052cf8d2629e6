import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOG } from '#app';
import { ProblemError } from '#api';
import { formatTime } from '#json';
import { TopicAndGroupNames } from '#event';
import type { Definitions, SourceStreamWithStartOffsets } from '#registry';
import type { TopicAdmin } from '#kafka';
import { offsetsIfExists, type ConsumedTopic } from '../lag/group-lag-reader.js';

type Start = 'beginning' | 'now';

/** The streams that a projection or pipeline reads, and whether it starts at their beginning or at their end. */
interface SourceSpec {
  /** JSON pointers to where the definition names the streams, by stream name. */
  streams: ReadonlyMap<string, string>;
  from: Start;
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
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsets'> },
    private readonly topics: TopicAndGroupNames,
  ) {}

  /**
   * Resolves with a new id and the bound sources, with their start offsets.
   * @throws ProblemError 404 `stream_not_found`
   * @throws LogUnavailableError
   */
  async begin({ streams, from }: SourceSpec): Promise<NewGenerationOrJob> {
    const sources = [...streams].map(async ([stream, pointer]) => {
      const source = await this.sourceOf(stream, from);
      if (!source) throw missingStream(stream, pointer);
      return [stream, source] as const;
    });
    return {
      id: randomBytes(idBytes).toString('hex'),
      sources: Object.fromEntries(await Promise.all(sources)),
      started_at: formatTime(Date.now() * 1000),
    };
  }

  private async sourceOf(stream: string, from: Start): Promise<SourceStreamWithStartOffsets | undefined> {
    const definition = this.definitions.stream(stream);
    if (definition?.state !== 'live') return undefined;
    const { id } = definition;
    if (from === 'beginning') return { id };
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
