import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { problems } from '#api';
import type { Written } from '../event-writer.js';
import { Rejection } from '../rejection.js';
import { json } from '../write-answers.js';

/** Refused values that the answer lists. */
const mostListed = 100;

export class LastPosition {
  @IsInt() partition: number;
  @IsInt() offset: number;
}

@JSONSchema({ description: 'A value that was refused, and is kept where the position says.' })
export class RefusedValue {
  @JSONSchema({ description: 'Of the value in the body, from 0.' }) @IsInt() index: number;
  @IsString() code: string;
  @IsInt() status: number;
  @IsString() detail: string;
  @IsInt() partition: number;
  @IsInt() offset: number;
}

/** The answer to a tool that knows only a URL. It does not list the events. */
export class IntakeAnswer {
  @IsInt() accepted: number;
  @JSONSchema({ description: 'Kept as dead letters.' }) @IsInt() refused: number;
  @JSONSchema({
    description: 'The last position in each partition that was written to, for `wait_for`.',
    items: { $ref: '#/components/schemas/LastPosition' },
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => LastPosition)
  positions: LastPosition[];
  @JSONSchema({
    description: `The first ${mostListed} that were refused.`,
    items: { $ref: '#/components/schemas/RefusedValue' },
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => RefusedValue)
  errors: RefusedValue[];
}

export const intakeContent = json(IntakeAnswer);

/** @throws ProblemError when the stream cannot be written to */
export function intakeAnswer(results: readonly (Written | Rejection)[]): IntakeAnswer {
  const last = new Map<number, number>();
  const errors: RefusedValue[] = [];
  let refused = 0;
  results.forEach((result, index) => {
    const position = result instanceof Rejection ? result.kept : result.position;
    if (!position) throw (result as Rejection).toProblem();
    last.set(position.partition, position.offset);
    if (!(result instanceof Rejection)) return;
    refused++;
    const { code, detail } = result;
    const { status } = problems[code];
    if (errors.length < mostListed) errors.push({ index, code, status, detail, ...position });
  });
  const positions = [...last].map(([partition, offset]) => ({ partition, offset }));
  positions.sort((a, b) => a.partition - b.partition);
  return { accepted: results.length - refused, refused, positions, errors };
}
