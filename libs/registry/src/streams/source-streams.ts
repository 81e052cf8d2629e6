import type { StreamDefinition } from './stream-definition.js';
import type { SourceBinding } from '../sources/source-binding.js';

/** What a projection or a pipeline reads: the streams of its spec, and which incarnations of them it began with. */
interface Reader {
  spec: { source: { streams: readonly string[] } };
  sources: Readonly<Record<string, SourceBinding>>;
}

interface Streams {
  stream(name: string): StreamDefinition | undefined;
}

/** Returns the sources that still exist: streams that were not deleted since the reader was defined. */
export function liveSources({ sources }: Pick<Reader, 'sources'>, definitions: Streams): StreamDefinition[] {
  return Object.entries(sources).flatMap(([name, { id }]) => {
    const stream = definitions.stream(name);
    return stream?.state === 'live' && stream.id === id ? [stream] : [];
  });
}

/**
 * Returns the name of a source that was deleted and created again since the reader was defined, if there is one. A reader
 * that goes on would skip every event of the new stream.
 */
export function recreatedSource({ spec, sources }: Reader, definitions: Streams): string | undefined {
  return spec.source.streams.find((name) => {
    const [read, stream] = [sources[name], definitions.stream(name)];
    return read && stream?.state === 'live' && stream.id !== read.id;
  });
}
