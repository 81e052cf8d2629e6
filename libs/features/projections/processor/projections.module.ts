import { Module, type OnModuleInit } from '@nestjs/common';
import { ProcessorTasks, TASK_DEPENDENCIES, withDeadLetters, type TaskDependencies } from '#processor-kit';
import { ProjectionsProcessor } from './projections-processor.js';

/** Nest module of the task that folds events into the states of projections. */
@Module({
  providers: [
    {
      provide: ProjectionsProcessor,
      inject: [TASK_DEPENDENCIES],
      useFactory: ({ store, ...shared }: TaskDependencies) =>
        new ProjectionsProcessor({
          ...shared,
          reader: store.reader,
          writer: withDeadLetters(store.projections, store),
        }),
    },
  ],
})
export class ProjectionsModule implements OnModuleInit {
  constructor(
    private readonly tasks: ProcessorTasks,
    private readonly processor: ProjectionsProcessor,
  ) {}

  onModuleInit(): void {
    this.tasks.add(this.processor);
  }
}
