/** The last acknowledged position of each partition. */
export class WrittenPositions {
  private readonly streams = new Map<string, Map<number, number>>();

  add(stream: string, { partition, offset }: { partition: number; offset: number }): void {
    let partitions = this.streams.get(stream);
    if (!partitions) this.streams.set(stream, (partitions = new Map<number, number>()));
    if ((partitions.get(partition) ?? -1) < offset) partitions.set(partition, offset);
  }

  /** Removes the positions of these streams, or of all. */
  forget(streams: readonly string[]): void {
    if (streams.length === 0) this.streams.clear();
    for (const stream of streams) this.streams.delete(stream);
  }

  /** Returns the positions of these streams, or of all, in the form of `wait_for`. */
  list(streams: readonly string[]): string[] {
    const chosen = streams.length > 0 ? streams : [...this.streams.keys()];
    return chosen.flatMap((stream) =>
      [...(this.streams.get(stream) ?? [])].map(([partition, offset]) => `${stream}:${partition}:${offset}`),
    );
  }
}
