import type { ScrubPassProgress, ScrubPassStore } from '../scrub-passes.js';

/** In-memory fake of the progress of requested scrub passes, for specs. */
export class MemoryScrubPasses implements ScrubPassStore {
  private readonly passes = new Map<string, ScrubPassProgress>();

  async save(progress: readonly ScrubPassProgress[]): Promise<void> {
    for (const one of progress) {
      const key = JSON.stringify([one.request, one.stream, one.partition]);
      if (one.updated_at >= (this.passes.get(key)?.updated_at ?? 0)) this.passes.set(key, one);
    }
  }

  async inPartition(stream: string, partition: number): Promise<ScrubPassProgress[]> {
    return [...this.passes.values()]
      .filter((progress) => progress.stream === stream && progress.partition === partition)
      .sort((a, b) => (a.request < b.request ? -1 : 1));
  }

  async of(request: string): Promise<ScrubPassProgress[]> {
    return [...this.passes.values()]
      .filter((progress) => progress.request === request)
      .sort((a, b) => (a.stream === b.stream ? a.partition - b.partition : a.stream < b.stream ? -1 : 1));
  }
}
