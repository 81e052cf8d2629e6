import { PartitionTaskHost, type DefinitionRunner } from '#engine';
import type { DesiredGeneration } from './desired-generations.js';
import { ProjectionTaskFactory, type ProjectionDependencies } from './projection-task-factory.js';
import type { ProjectionTask } from './projection-task.js';

/** Milliseconds for which a fetch collects records: less than the usual time between two saves (500). */
const collectMs = 250;

/**
 * Runs one generation of a projection in this process: folds the partitions that the generation's consumer group
 * assigns to this process.
 */
export class RunningGeneration implements DefinitionRunner<DesiredGeneration> {
  /** Name of the projection. */
  readonly name: string;
  readonly group: string;
  private readonly host: PartitionTaskHost<ProjectionTask>;

  constructor(
    { name, compiled }: DesiredGeneration,
    private readonly parts: ProjectionDependencies,
  ) {
    this.name = name;
    const { checkpointer, topics } = parts;
    this.group = topics.projectionGroup(compiled.build.id);
    this.host = new PartitionTaskHost({
      ...parts,
      name,
      group: this.group,
      collectMs,
      tasks: new ProjectionTaskFactory({ name, compiled }, parts),
      checkpointer: {
        drop: ({ projector }) => checkpointer.drop(projector),
        flush: () => checkpointer.flush(),
      },
    });
  }

  [Symbol.iterator](): Iterator<ProjectionTask> {
    return this.host[Symbol.iterator]();
  }

  /** Saves the states of the generation early, because a reader waits for the states. */
  flushSoon(): void {
    this.parts.checkpointer.flushSoon();
    this.host.fetchNow();
  }

  async follow({ streams, compiled }: DesiredGeneration): Promise<void> {
    const { sources } = compiled.build;
    await this.host.subscribe(streams.map((stream) => this.parts.topics.ofStream(sources[stream]!.id)));
  }

  async stop(givenUp: Promise<unknown>): Promise<void> {
    await this.host.stop(givenUp);
  }
}
