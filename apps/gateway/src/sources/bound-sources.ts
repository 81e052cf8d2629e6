import { ProblemError } from '#api';
import type { TopicNames } from '#event';
import type { Definitions, RunSource } from '#registry';
import { UnknownTopicError, type TopicAdmin } from '#log';

export interface BoundSourcesEngines {
  definitions: Pick<Definitions, 'stream'>;
  admin: Pick<TopicAdmin, 'offsets'>;
  topics: TopicNames;
}

/** What is to be read, and from where on. */
export interface WantedSources {
  streams: readonly string[];
  from: 'beginning' | 'now';
}

/**
 * The streams that have these names now, and where reading them begins.
 * @throws ProblemError 404 `stream_not_found` @throws LogUnavailableError
 */
export async function boundSources(
  { streams, from }: WantedSources,
  engines: BoundSourcesEngines,
): Promise<Record<string, RunSource>> {
  const sources = await Promise.all(
    streams.map(async (stream, i): Promise<[string, RunSource]> => {
      const source = await sourceOf(stream, from, engines);
      if (source) return [stream, source];
      const detail = `there is no stream ${stream}`;
      throw new ProblemError('stream_not_found', `For this definition ${detail}.`, {
        errors: [{ pointer: `/source/streams/${i}`, detail }],
      });
    }),
  );
  return Object.fromEntries(sources);
}

async function sourceOf(
  stream: string,
  from: WantedSources['from'],
  { definitions, admin, topics }: BoundSourcesEngines,
): Promise<RunSource | undefined> {
  const definition = definitions.stream(stream);
  if (definition?.state !== 'live') return undefined;
  const { id } = definition;
  if (from === 'beginning') return { id };
  const offsets = await admin.offsets(topics.ofStream(id)).catch(noneWhenGone);
  return offsets && { id, starts: offsets.map(({ end }) => end) };
}

function noneWhenGone(error: unknown): undefined {
  if (error instanceof UnknownTopicError) return undefined;
  throw error;
}
