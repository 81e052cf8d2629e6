/** The last position that was acknowledged in each partition. */
export class WrittenPositions {
  private readonly streams = new Map<string, Map<number, number>>();

  add(stream: string, { partition, offset }: { partition: number; offset: number }): void {
    let partitions = this.streams.get(stream);
    if (!partitions) this.streams.set(stream, (partitions = new Map<number, number>()));
    if ((partitions.get(partition) ?? -1) < offset) partitions.set(partition, offset);
  }

  /** As `wait_for` takes them, of these streams or of all. */
  list(streams: readonly string[]): string[] {
    const chosen = streams.length > 0 ? streams : [...this.streams.keys()];
    return chosen.flatMap((stream) =>
      [...(this.streams.get(stream) ?? [])].map(([partition, offset]) => `${stream}:${partition}:${offset}`),
    );
  }
}
