/** Returns a JSON pointer to each source stream in a definition, by stream name. */
export function sourcePointers({
  source: { streams },
}: {
  source: { streams: readonly string[] };
}): ReadonlyMap<string, string> {
  return new Map(streams.map((stream, i) => [stream, `/source/streams/${i}`]));
}
