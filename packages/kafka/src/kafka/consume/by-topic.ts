/** Groups partitions by topic, as `[{ topic, partitions }]`: the form of most Kafka requests. */
export function byTopic<T extends { topic: string }, P>(
  places: readonly T[],
  toPartition: (place: T) => P,
): { topic: string; partitions: P[] }[] {
  const topics = new Map<string, P[]>();
  for (const place of places) {
    const own = topics.get(place.topic);
    if (own) own.push(toPartition(place));
    else topics.set(place.topic, [toPartition(place)]);
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
}
