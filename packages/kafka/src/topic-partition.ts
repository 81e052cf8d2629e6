/** Identifies one partition of a topic. */
export interface TopicPartition {
  topic: string;
  partition: number;
}

/** Returns a key for a partition that is unique over all topics. */
export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Adds a value to the list under this key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
