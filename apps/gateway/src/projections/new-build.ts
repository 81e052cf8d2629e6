import { randomBytes } from 'node:crypto';
import { formatTime, ProblemError, type TopicNames } from '#contracts';
import type { Definitions, ProjectionBuild, ProjectionSpec, RunSource } from '#definitions';
import { UnknownTopicError, type TopicAdmin } from '#log';

export interface BuildEngines {
  definitions: Pick<Definitions, 'stream'>;
  admin: Pick<TopicAdmin, 'offsets'>;
  topics: TopicNames;
}

const idBytes = 12;

/**
 * A build that begins now, bound to the streams that have their names now.
 * @throws ProblemError 404 `stream_not_found` @throws LogUnavailableError
 */
export async function newBuild(
  spec: ProjectionSpec,
  engines: BuildEngines,
): Promise<Omit<ProjectionBuild, 'version'>> {
  const { streams } = spec.source;
  const sources = await Promise.all(
    streams.map(async (stream, i): Promise<[string, RunSource]> => {
      const source = await sourceOf(stream, spec.from, engines);
      if (source) return [stream, source];
      const detail = `there is no stream ${stream}`;
      throw new ProblemError('stream_not_found', `For this projection ${detail}.`, {
        errors: [{ pointer: `/source/streams/${i}`, detail }],
      });
    }),
  );
  return {
    id: randomBytes(idBytes).toString('hex'),
    spec,
    sources: Object.fromEntries(sources),
    started_at: formatTime(Date.now() * 1000),
  };
}

async function sourceOf(
  stream: string,
  from: ProjectionSpec['from'],
  { definitions, admin, topics }: BuildEngines,
): Promise<RunSource | undefined> {
  const definition = definitions.stream(stream);
  if (definition?.state !== 'live') return undefined;
  const { created_at } = definition;
  if (from === 'beginning') return { created_at };
  const offsets = await admin.offsets(topics.ofStream(stream)).catch(noneWhenGone);
  return offsets && { created_at, starts: offsets.map(({ end }) => end) };
}

function noneWhenGone(error: unknown): undefined {
  if (error instanceof UnknownTopicError) return undefined;
  throw error;
}
