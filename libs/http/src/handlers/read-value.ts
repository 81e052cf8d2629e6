import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { ProblemError } from '#api';

/** A value that cannot be read: its property is refused. */
class Unreadable {
  constructor(readonly sent: unknown) {}
}

/** How the text of a parameter or a field is read. */
export interface Reading {
  /** Of the rule. */
  name: string;
  /** Returns undefined for a text that is refused, and a problem where the text has a problem of its own. */
  read: (text: string) => unknown;
  /** Says what the value must be. */
  message: (sent: unknown) => string;
}

/** Hands over what the text of a property says, such as a time or a length of time, and not the text. */
export function ReadValue(reading: Reading): PropertyDecorator {
  const validate = (value: unknown) => value != null && !(value instanceof Unreadable);
  const sent = (value: unknown) => (value instanceof Unreadable ? value.sent : value);
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => readOne(value, reading)),
    rule(reading, { validate, sent }),
  );
}

/** Hands over what each text of a list says. */
export function ReadValues(reading: Reading): PropertyDecorator {
  const validate = (values: unknown) =>
    Array.isArray(values) && values.every((value) => !(value instanceof Unreadable));
  return applyDecorators(
    Transform(({ value: values }: { value: unknown }) =>
      Array.isArray(values) ? values.map((value) => readOne(value, reading)) : values,
    ),
    rule(reading, { validate, sent: (values) => values }),
  );
}

function readOne(value: unknown, { read }: Reading): unknown {
  if (value == null) return value;
  return (typeof value === 'string' ? read(value) : undefined) ?? new Unreadable(value);
}

function rule(
  { name, message }: Reading,
  { validate, sent }: { validate: (value: unknown) => boolean; sent: (value: unknown) => unknown },
): PropertyDecorator {
  const defaultMessage = (found?: ValidationArguments) => message(sent(found?.value));
  return ValidateBy({ name, validator: { validate, defaultMessage } });
}

/** Throws the problem that a value of a valid input has. @throws ProblemError */
export function throwProblemIn(input: object): void {
  for (const value of Object.values(input)) if (value instanceof ProblemError) throw value;
}
