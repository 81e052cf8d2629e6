import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Nullable } from '../../openapi/nullable.js';
import { JsonSchemaPart } from '../../openapi/schema.js';

const outcomes = ['passed', 'dropped', 'emitted', 'late', 'failed', 'forwarded'] as const;

/** An event in a pipeline, as the dry run shows it. */
export class DryRunEvent {
  @IsString() event_type: string;
  @Nullable('string') entity_id: string | null;
  @JsonSchemaPart({ type: 'string', format: 'date-time' }) @IsString() timestamp: string;
  @IsObject() data: object;
  @IsObject() metadata: object;
}

/** The result of one operator for one event. */
export class DryRunStepAnswer {
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
  @JsonSchemaPart({ description: 'Key of the window, or of the duplicate.' })
  key?: string;
  @IsOptional()
  @ValidateNested()
  @Type(() => DryRunEvent)
  @JsonSchemaPart({ description: 'The event after the operator.' })
  result?: DryRunEvent;
}

/** An input event, and the steps that it passes. */
export class DryRunEventAnswer {
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunStepAnswer) steps: DryRunStepAnswer[];
}

/** A window that closed, and the steps that its result passes. */
export class DryRunWindowAnswer extends DryRunEventAnswer {
  @JsonSchemaPart({ description: 'The window, as a JSON pointer into the definition.' })
  @IsString()
  at: string;
}

/** An event that the pipeline would write. */
export class DryRunEmittedAnswer {
  @IsString() at: string;
  @IsOptional() @IsString() stream?: string;
  @IsOptional() @IsString() webhook?: string;
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
}

/** An event that arrived too late for its window. */
export class DryRunLateAnswer {
  @IsString() at: string;
  @IsOptional()
  @IsString()
  @JsonSchemaPart({
    description:
      'The stream to which the event would be written. Without one, it would become a dead letter.',
  })
  stream?: string;
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
}

/** An event that would become a dead letter. */
export class DryRunFailedAnswer {
  @IsString() at: string;
  @JsonSchemaPart({ description: 'Where in the definition the error is, as a JSON pointer.' })
  @IsString()
  pointer: string;
  @IsString() error: string;
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
}

/** What a pipeline would do with the given events. */
export class DryRunAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunEventAnswer) events: DryRunEventAnswer[];
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => DryRunWindowAnswer)
  @JsonSchemaPart({
    description:
      'Windows and their results. Every window closes at the end, as if nothing came after these events.',
  })
  windows: DryRunWindowAnswer[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunEmittedAnswer) emitted: DryRunEmittedAnswer[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunLateAnswer) late: DryRunLateAnswer[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunFailedAnswer) failed: DryRunFailedAnswer[];
  @IsBoolean()
  @JsonSchemaPart({ description: 'Whether the answer was cut at its size limit.' })
  truncated: boolean;
}
