import { Controller, Get, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { DEFINITIONS, type Feature } from '#app';
import { defineProblems, ProblemError } from '#api';
import { PathParameter, RequireScope } from '#http';
import {
  definitionLimitReached,
  oneRecord,
  type Definitions,
  type ResourceKind,
  type ResourceStore,
} from '#registry';
import { counter } from '#telemetry';
import { ApiAnswer } from '#gateway-kit';
import { ProcessorTasks, type ProcessorTask } from '#processor-kit';

const sampleReads = counter('tributary_sample_reads_total', { help: 'Samples that were read.' });

export const sampleProblems = defineProblems({
  sample_not_found: { status: 404, title: 'There is no such sample' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof sampleProblems> {}
}

/** The record of a sample in the definitions topic, and its form in the API. */
export class SampleDefinition {
  @IsString() name: string;
  @IsIn(['red', 'blue']) color: string;
}

/** Settings of samples. */
export class SampleSettings {
  /** Advice to a client that asks for an unknown sample. */
  @IsString() SAMPLE_ADVICE = 'Ask for another one.';
}

declare module '#registry' {
  interface ResourceStores {
    /** Definitions of the sample feature. */
    colors: ResourceStore<SampleDefinition>;
  }
}

const sampleKind: ResourceKind<SampleDefinition> = {
  kind: 'color',
  store: 'colors',
  most: 10,
  full: () => definitionLimitReached('The limit of 10 samples is reached.'),
  ...oneRecord(SampleDefinition, { nameOf: ({ name }) => name }),
  eventType: (before, after) => `color.${after ? (before ? 'changed' : 'created') : 'removed'}`,
  redact: (value) => value,
};

const sampleNamePattern = /^[a-z]{1,20}$/;

/** Injects the name of a sample from the path of the URL. */
function SampleName(): ParameterDecorator {
  return PathParameter(
    { name: 'name', schema: { type: 'string', pattern: sampleNamePattern.source } },
    (text) => {
      if (sampleNamePattern.test(text)) return text;
      throw new ProblemError('invalid_request', 'The name of a sample has 1 to 20 characters from a to z.');
    },
  );
}

@ApiTags('samples')
@Controller('api/v1/samples')
class SampleController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly settings: SampleSettings,
  ) {}

  @Get(':name')
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Get one sample' })
  @ApiAnswer(SampleDefinition, { description: 'The sample.' })
  one(@SampleName() name: string): SampleDefinition {
    sampleReads.inc();
    const found = this.definitions.colors.get(name);
    if (found) return found;
    throw new ProblemError('sample_not_found', `There is no sample ${name}. ${this.settings.SAMPLE_ADVICE}`);
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

/**
 * A feature that only specs know: a kind of definition, a setting, an endpoint, a task, a table (`migrations`), a metric
 * and a problem.
 */
export const sample: Feature = {
  name: 'samples',
  settings: [SampleSettings],
  kinds: [sampleKind],
  gateway: SampleGatewayModule,
  processor: SampleProcessorModule,
};
