import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { problemDefinition, type InputProblem } from '#api';
import { type AcceptedEvent, type AppendedEvent, EventRejection, json, type ParsedEvents } from '#writing';

/** Maximum number of rejected values that the answer lists. */
const mostListed = 100;

/** The last offset that a request has written in one partition, including records of rejected values. */
class LastWrittenPosition {
  @IsInt() partition: number;
  @IsInt() offset: number;
}

@JSONSchema({
  description:
    'A rejected value. It is kept as a dead letter at this position of the log. A conditional value that is refused ' +
    '(`version_conflict`) or `undecided` is no dead letter.',
})
class RefusedValue {
  @JSONSchema({ description: 'Index of the value in the body, from 0. Empty lines do not count.' })
  @IsInt()
  index: number;
  @IsString() code: string;
  @IsInt() status: number;
  @JSONSchema({ description: 'The reason, with the first error. The dead letter has all errors.' })
  @IsString()
  detail: string;
  @IsInt() partition: number;
  @IsInt() offset: number;
  @JSONSchema({ description: 'The version of the entity, for `version_conflict`.' })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  current_version?: number;
}

/**
 * Answer of the routes for raw JSON values and CloudEvents: counts, last positions and rejected values. The answer does
 * not list the written events.
 */
class IntakeAnswer {
  @IsInt() accepted: number;
  @JSONSchema({ description: 'Number of rejected values.' })
  @IsInt()
  refused: number;
  @JSONSchema({
    description: 'The last written position of each partition, for `wait_for`.',
    items: { $ref: '#/components/schemas/LastWrittenPosition' },
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => LastWrittenPosition)
  positions: LastWrittenPosition[];
  @JSONSchema({
    description: `The first ${mostListed} rejected values.`,
    items: { $ref: '#/components/schemas/RefusedValue' },
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => RefusedValue)
  errors: RefusedValue[];
}

export const intakeContent = json(IntakeAnswer);

/**
 * Returns the answer that summarizes the results of a write.
 * @throws ProblemError when the stream does not accept writes, or when a single conditional value is not accepted
 */
export function intakeAnswer(results: readonly (AppendedEvent | EventRejection)[]): IntakeAnswer {
  const [only] = results;
  if (results.length === 1 && only instanceof EventRejection && only.isConditional) throw only.toProblem();
  const last = new Map<number, number>();
  const errors: RefusedValue[] = [];
  let refused = 0;
  results.forEach((result, index) => {
    const position = result instanceof EventRejection ? result.kept : result.position;
    if (!position) throw (result as EventRejection).toProblem();
    last.set(position.partition, position.offset);
    if (!(result instanceof EventRejection)) return;
    refused++;
    const { code, reason: detail, currentVersion } = result;
    const { status } = problemDefinition(code);
    const current = currentVersion !== undefined && { current_version: currentVersion };
    if (errors.length < mostListed) errors.push({ index, code, status, detail, ...position, ...current });
  });
  const positions = [...last].map(([partition, offset]) => ({ partition, offset }));
  positions.sort((a, b) => a.partition - b.partition);
  return { accepted: results.length - refused, refused, positions, errors };
}

/** Maximum number of input errors that the answer lists. */
const mostErrors = 100;

/**
 * Returns the events of a request if none of its values was rejected.
 * @throws ProblemError of the first rejected value, with its number and line and the errors of all rejected values
 */
export function requireAll(events: ParsedEvents, text: string): AcceptedEvent[] {
  let first: EventRejection | undefined;
  let rejected = 0;
  const errors: InputProblem[] = [];
  for (const event of events) {
    if (!(event instanceof EventRejection)) continue;
    first ??= event;
    rejected++;
    errors.push(...event.errors.slice(0, mostErrors - errors.length));
  }
  if (!first) return events as AcceptedEvent[];
  const value = `Value ${events.indexOf(first) + 1} of ${events.length}, line ${lineAt(text, first.sent?.start ?? 0)}`;
  const more = rejected === 1 ? '' : ` ${rejected} values were rejected in total.`;
  const detail = `${value}: ${first.detail}${more} Nothing was written.`;
  throw new EventRejection(first.code, detail, errors).toProblem();
}

/** Returns the line number of an index, from 1. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < index; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
