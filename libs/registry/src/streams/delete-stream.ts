import { forgetErasures } from '../erasures/forget-erasures.js';
import type { Actor } from '../kind/kind.js';
import type { RowRemoval } from './new-stream.js';
import { refuseReserved } from './reserved-names.js';
import type { StreamDefinition } from './stream-definition.js';
import { announced } from './stream-rules.js';
import { foundStream, streamProblem } from './stream-problems.js';
import type { StreamParts } from './stream-parts.js';

type Current = StreamDefinition | undefined;

/** What is asked for: the stream, what removes its rows, and by whom. */
export interface Deletion {
  name: string;
  removeRows: RowRemoval;
  actor: Actor;
}

/** Deletes streams. Each step names the stream by its id, so that several processes may take it at once, or much later. */
export class StreamDeletions {
  private readonly running = new Map<string, Promise<void>>();

  constructor(private readonly parts: StreamParts) {}

  /** The first phase alone: from now on nobody writes to it or sees it. */
  async begin(name: string, actor: Actor): Promise<StreamDefinition> {
    refuseReserved(name);
    const begun = (current: Current): StreamDefinition => {
      const stream = foundStream(announced(current), name);
      return stream.state === 'deleting' ? stream : { ...stream, state: 'deleting' };
    };
    const { value } = await this.parts.kind.change(name, begun, actor);
    return foundStream(value, name);
  }

  /** All of it; calls at the same time share one. */
  async run(deletion: Deletion): Promise<void> {
    const { name } = deletion;
    refuseReserved(name);
    let run = this.running.get(name);
    if (!run) {
      run = this.runOnce(deletion).finally(() => this.running.delete(name));
      this.running.set(name, run);
    }
    await run;
  }

  private async runOnce({ name, removeRows, actor }: Deletion): Promise<void> {
    const { log, names, erasures, kind, upToDate } = this.parts;
    try {
      await upToDate();
      const stream = await this.begin(name, actor);
      await log.admin.remove(names.ofStream(stream.id));
      await removeRows(stream.id);
      // As long as there may be rows or records of it, they are obeyed.
      await forgetErasures(erasures, stream.id, actor);
      await kind.change(name, (current) => (current?.id === stream.id ? undefined : current), actor);
    } catch (error) {
      throw streamProblem(error, name);
    }
  }
}
