import { IsBoolean, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { JsonSchemaPart, ListOf, Nullable, ObjectOf } from '#gateway-kit';

const outcomes = ['passed', 'dropped', 'emitted', 'late', 'failed', 'forwarded', 'waiting'] as const;

/** OpenAPI schema of an event at one step of a pipeline's dry run. */
class DryRunEvent {
  @IsString() event_type: string;
  @Nullable('string') entity_id: string | null;
  @JsonSchemaPart({ type: 'string', format: 'date-time' }) @IsString() timestamp: string;
  @IsObject() data: object;
  @IsObject() metadata: object;
}

/** OpenAPI schema of what one operator did with one event in a dry run. */
class DryRunStepAnswer {
  @JsonSchemaPart({ description: 'The operator, as a JSON pointer into the definition.' })
  @IsString()
  at: string;
  @IsString() operator: string;
  @IsIn(outcomes) outcome: (typeof outcomes)[number];
  @IsOptional()
  @IsString()
  @JsonSchemaPart({ description: 'Why the event was dropped or failed.' })
  reason?: string;
  @IsOptional()
  @IsString()
  @JsonSchemaPart({ description: 'Key of the event in a window, dedupe, expect or join.' })
  key?: string;
  @IsOptional()
  @ObjectOf(DryRunEvent)
  @JsonSchemaPart({ description: 'The event after the operator.' })
  result?: DryRunEvent;
}

/** OpenAPI schema of one input event of a dry run, and what each operator that it reaches does with it. */
class DryRunTraceAnswer {
  @ObjectOf(DryRunEvent) event: DryRunEvent;
  @ListOf(DryRunStepAnswer) steps: DryRunStepAnswer[];
}

/** OpenAPI schema of a window that closed in a dry run, and what each later operator does with its result. */
class DryRunWindowAnswer extends DryRunTraceAnswer {
  @JsonSchemaPart({ description: 'The window, as a JSON pointer into the definition.' })
  @IsString()
  at: string;
}

/** OpenAPI schema of an event that the pipeline of a dry run would write. */
class DryRunEmittedEventAnswer {
  @IsString() at: string;
  @IsOptional() @IsString() stream?: string;
  @IsOptional() @IsString() webhook?: string;
  @ObjectOf(DryRunEvent) event: DryRunEvent;
}

/** OpenAPI schema of an event that arrived too late for its operator in a dry run. */
class DryRunLateEventAnswer {
  @IsString() at: string;
  @IsOptional()
  @IsString()
  @JsonSchemaPart({
    description:
      'The stream to which the event would be written. Without one, it would become a dead letter.',
  })
  stream?: string;
  @ObjectOf(DryRunEvent) event: DryRunEvent;
}

/** OpenAPI schema of an event that would become a dead letter of the pipeline. */
class DryRunFailedEventAnswer {
  @IsString() at: string;
  @JsonSchemaPart({ description: 'Where in the definition the error is, as a JSON pointer.' })
  @IsString()
  pointer: string;
  @IsString() error: string;
  @ObjectOf(DryRunEvent) event: DryRunEvent;
}

/** Answer of `POST /api/v1/pipelines/dry-run`: what the pipeline would do with the given events. */
export class DryRunReportAnswer {
  @ListOf(DryRunTraceAnswer) events: DryRunTraceAnswer[];
  @ListOf(
    DryRunWindowAnswer,
    'Windows and their results. Every window closes at the end, as if nothing came after these events.',
  )
  windows: DryRunWindowAnswer[];
  @ListOf(DryRunEmittedEventAnswer) emitted: DryRunEmittedEventAnswer[];
  @ListOf(DryRunLateEventAnswer) late: DryRunLateEventAnswer[];
  @ListOf(DryRunFailedEventAnswer) failed: DryRunFailedEventAnswer[];
  @IsBoolean()
  @JsonSchemaPart({ description: 'Whether the answer was cut at its size limit.' })
  truncated: boolean;
}
