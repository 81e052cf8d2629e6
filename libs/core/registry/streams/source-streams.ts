import type { StreamDefinition } from './stream-definition.js';
import type { SourceStreamWithStartOffsets } from '../sources/source-stream-with-start-offsets.js';

/**
 * A projection's generation or a pipeline as a reader of streams: the stream names in its spec, and the ids of the
 * streams with these names when it was defined.
 */
interface Reader {
  spec: { source: { streams: readonly string[] } };
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>;
}

interface Streams {
  stream(name: string): StreamDefinition | undefined;
}

/** Returns the definitions of the reader's streams that were not deleted since the reader was defined. */
export function liveSources({ sources }: Pick<Reader, 'sources'>, definitions: Streams): StreamDefinition[] {
  return Object.entries(sources).flatMap(([name, { id }]) => {
    const stream = definitions.stream(name);
    return stream?.state === 'live' && stream.id === id ? [stream] : [];
  });
}

/**
 * Returns the name of a stream that was deleted and created again since its reader (a projection or pipeline) was
 * defined; undefined if there is none. A reader that continues would skip every event of the new stream.
 */
export function recreatedSource({ spec, sources }: Reader, definitions: Streams): string | undefined {
  return spec.source.streams.find((name) => {
    const [read, stream] = [sources[name], definitions.stream(name)];
    return read && stream?.state === 'live' && stream.id !== read.id;
  });
}
