import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Nullable } from '../../openapi/nullable.js';
import { Schema } from '../../openapi/schema.js';

const outcomes = ['passed', 'dropped', 'emitted', 'late', 'failed', 'forwarded'] as const;

/** An event on its way through a pipeline. */
export class DryRunEvent {
  @IsString() event_type: string;
  @Nullable('string') entity_id: string | null;
  @Schema({ type: 'string', format: 'date-time' }) @IsString() timestamp: string;
  @IsObject() data: object;
  @IsObject() metadata: object;
}

/** What one operator did. */
export class DryRunStepAnswer {
  @Schema({ description: 'A JSON pointer into the definition.' }) @IsString() at: string;
  @IsString() operator: string;
  @IsIn(outcomes) outcome: (typeof outcomes)[number];
  @IsOptional() @IsString() @Schema({ description: 'Why it was dropped, or failed.' }) reason?: string;
  @IsOptional() @IsString() @Schema({ description: 'Of the window, or of the repetition.' }) key?: string;
  @IsOptional()
  @ValidateNested()
  @Type(() => DryRunEvent)
  @Schema({ description: 'The event as it goes on.' })
  result?: DryRunEvent;
}

/** An event that was given, and its way. */
export class DryRunEventAnswer {
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunStepAnswer) steps: DryRunStepAnswer[];
}

/** A window that closed, and the way of its result. */
export class DryRunWindowAnswer extends DryRunEventAnswer {
  @Schema({ description: 'The window: a JSON pointer into the definition.' }) @IsString() at: string;
}

/** An event that would be written. */
export class DryRunEmittedAnswer {
  @IsString() at: string;
  @IsOptional() @IsString() stream?: string;
  @IsOptional() @IsString() webhook?: string;
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
}

/** An event that came too late for its window. */
export class DryRunLateAnswer {
  @IsString() at: string;
  @IsOptional()
  @IsString()
  @Schema({ description: 'Where it would go; else to the dead letters.' })
  stream?: string;
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
}

/** An event that would be a dead letter. */
export class DryRunFailedAnswer {
  @IsString() at: string;
  @Schema({ description: 'The exact place in the definition.' }) @IsString() pointer: string;
  @IsString() error: string;
  @ValidateNested() @Type(() => DryRunEvent) event: DryRunEvent;
}

/** What a pipeline would do. */
export class DryRunAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunEventAnswer) events: DryRunEventAnswer[];
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => DryRunWindowAnswer)
  @Schema({ description: 'As if nothing came after these events: every window closes at the end.' })
  windows: DryRunWindowAnswer[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunEmittedAnswer) emitted: DryRunEmittedAnswer[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunLateAnswer) late: DryRunLateAnswer[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => DryRunFailedAnswer) failed: DryRunFailedAnswer[];
  @IsBoolean() @Schema({ description: 'There was more: the answer is bounded.' }) truncated: boolean;
}
