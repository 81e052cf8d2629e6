import { Type } from 'class-transformer';
import { IsArray, IsInt, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { Written } from '../event-writer.js';
import { json } from '../write-answers.js';

export class LastPosition {
  @IsInt() partition: number;
  @IsInt() offset: number;
}

/** The answer to those who do not look at it: it does not list the events. */
export class IntakeAnswer {
  @IsInt() accepted: number;
  @JSONSchema({
    description: 'The last position in each partition that was written to, for `wait_for`.',
    items: { $ref: '#/components/schemas/LastPosition' },
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => LastPosition)
  positions: LastPosition[];
}

export const intakeContent = json(IntakeAnswer);

export function intakeAnswer(written: readonly Written[]): IntakeAnswer {
  const last = new Map<number, number>();
  for (const { position } of written) last.set(position.partition, position.offset);
  const positions = [...last].map(([partition, offset]) => ({ partition, offset }));
  return { accepted: written.length, positions: positions.sort((a, b) => a.partition - b.partition) };
}
