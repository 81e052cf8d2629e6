import { PartitionHost, type Reconciled } from '#engine';
import type { DesiredGeneration } from './desired-generations.js';
import { ProjectionTasks, type ProjectionParts } from './open-projection.js';
import type { ProjectionTask } from './projection-task.js';

/** Runs one generation in this process: folds the partitions that the generation's consumer group assigns to it. */
export class RunningGeneration implements Reconciled<DesiredGeneration> {
  /** Name of the projection. */
  readonly name: string;
  private readonly host: PartitionHost<ProjectionTask>;

  constructor(
    { name, compiled }: DesiredGeneration,
    private readonly parts: ProjectionParts,
  ) {
    this.name = name;
    const { checkpointer, topics } = parts;
    this.host = new PartitionHost({
      ...parts,
      name,
      group: topics.projectionGroup(compiled.build.id),
      tasks: new ProjectionTasks({ name, compiled }, parts),
      checkpointer: {
        drop: ({ projector }) => checkpointer.drop(projector),
        flush: () => checkpointer.flush(),
      },
    });
  }

  [Symbol.iterator](): Iterator<ProjectionTask> {
    return this.host[Symbol.iterator]();
  }

  async follow({ streams, compiled }: DesiredGeneration): Promise<void> {
    const { sources } = compiled.build;
    await this.host.subscribe(streams.map((stream) => this.parts.topics.ofStream(sources[stream]!.id)));
  }

  async stop(givenUp: Promise<unknown>): Promise<void> {
    await this.host.stop(givenUp);
  }
}
