import { IsArray, IsOptional, IsString } from 'class-validator';
import { streamNamePattern } from '#event';
import { rule } from '../resources/record-members.js';

/** Where a projection or pipeline starts in its streams: at their first event, or at their end. */
export const startPositions = ['beginning', 'now'] as const;

/** The most source streams of one projection or pipeline. */
export const mostSourceStreams = 20;

const AreSourceStreams = rule(
  'areSourceStreams',
  (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= mostSourceStreams &&
    new Set(value).size === value.length &&
    value.every(isStreamName),
);

const isStreamName = (name: unknown) => typeof name === 'string' && streamNamePattern.test(name);

/**
 * The events that a projection or pipeline reads, as records contain them. Requests obey more rules, such as the length
 * of a condition, which an older record need not obey.
 */
export class SourceFilter {
  /** Names of the streams, each once. */
  @IsArray() @IsString({ each: true }) @AreSourceStreams() streams: readonly string[];
  @IsOptional() @IsArray() @IsString({ each: true }) event_types?: readonly string[];
  /** A CEL condition on `event`. */
  @IsOptional() @IsString() where?: string;
}
