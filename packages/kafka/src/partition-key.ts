/** Returns a key for a partition that is unique over all topics. */
export function partitionKey({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}
