import { Controller, Get, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { Feature } from '#app';
import { defineProblems, ProblemError } from '#api';
import { PathParameter, RequireScope } from '#http';
import { counter } from '#telemetry';
import { ApiAnswer } from '../../../apps/gateway/src/openapi/answers.js';
import { ProcessorTasks, type ProcessorTask } from '../../../apps/processor/src/tasks/processor-tasks.js';

const sampleReads = counter('tributary_sample_reads_total', { help: 'Samples that were read.' });

export const sampleProblems = defineProblems({ sample_not_found: { status: 404, title: 'There is no such sample' } });

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof sampleProblems> {}
}

class SampleAnswer {
  @IsString() name: string;
}

@ApiTags('samples')
@Controller('api/v1/samples')
class SampleController {
  @Get(':name')
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Get one sample' })
  @ApiAnswer(SampleAnswer, { description: 'The sample.' })
  one(@PathParameter({ name: 'name', schema: { type: 'string' } }) name: string): SampleAnswer {
    sampleReads.inc();
    if (name === 'first') return { name };
    throw new ProblemError('sample_not_found', `There is no sample ${name}.`);
  }
}

@Module({ controllers: [SampleController] })
class SampleGatewayModule {}

/** The task of the sample feature, which only notes that it runs. */
@Injectable()
export class SampleTask implements ProcessorTask {
  readonly name = 'samples';
  readonly lag = { set: () => undefined, remove: () => undefined };
  readonly complaint = undefined;
  state: 'new' | 'running' | 'closed' = 'new';

  partitions(): [] {
    return [];
  }

  start(): void {
    this.state = 'running';
  }

  async close(): Promise<void> {
    this.state = 'closed';
  }
}

@Module({ providers: [SampleTask] })
class SampleProcessorModule implements OnModuleInit {
  constructor(
    private readonly tasks: ProcessorTasks,
    private readonly task: SampleTask,
  ) {}

  onModuleInit(): void {
    this.tasks.add(this.task);
  }
}

/** A feature that only specs know: an endpoint, a task, a table (`migrations`), a metric and a problem. */
export const sample: Feature = {
  name: 'samples',
  gateway: SampleGatewayModule,
  processor: SampleProcessorModule,
};
