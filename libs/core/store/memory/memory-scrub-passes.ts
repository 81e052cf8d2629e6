import type { ScrubPassProgress, ScrubPassStore } from '../scrub-passes.js';

/** In-memory fake of the progress of requested scrub passes, for specs. */
export class MemoryScrubPasses implements ScrubPassStore {
  private readonly passes = new Map<string, ScrubPassProgress>();

  async save(progress: ScrubPassProgress): Promise<void> {
    const { request, stream, partition, updated_at } = progress;
    const key = JSON.stringify([request, stream, partition]);
    if (updated_at >= (this.passes.get(key)?.updated_at ?? 0)) this.passes.set(key, progress);
  }

  async of(request: string): Promise<ScrubPassProgress[]> {
    return [...this.passes.values()]
      .filter((progress) => progress.request === request)
      .sort((a, b) => (a.stream === b.stream ? a.partition - b.partition : a.stream < b.stream ? -1 : 1));
  }
}
