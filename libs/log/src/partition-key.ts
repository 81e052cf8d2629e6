/** Names a partition among those of all topics. */
export function partitionKey({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}
