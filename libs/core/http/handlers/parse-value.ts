import { Transform, type TransformFnParams as TransformParams } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { ProblemError } from '#api';

/** Placeholder for a sent value that could not be parsed; class-validator then rejects its property. */
class Unreadable {
  constructor(readonly sent: unknown) {}
}

/** How the text of a query parameter or body field is parsed, and the error message for an invalid text. */
interface ValueParser {
  /** Name of the validation rule. */
  name: string;
  /**
   * Returns the parsed value; undefined for an invalid text; a ProblemError if the text has a problem code of its own.
   * @param sent all fields of the request, as it sends them
   */
  read: (text: string, sent: Readonly<Record<string, unknown>>) => unknown;
  /** Returns the error message for an invalid text, which says what the value must be. */
  message: (sent: unknown) => string;
}

/** Parses the text of a property: the handler gets the value, such as a time or a duration, in place of the text. */
export function ParseValue(parser: ValueParser): PropertyDecorator {
  const validate = (value: unknown) => value != null && !(value instanceof Unreadable);
  const defaultMessage = (found?: ValidationArguments) => {
    const value: unknown = found?.value;
    return parser.message(value instanceof Unreadable ? value.sent : value);
  };
  return applyDecorators(
    Transform(({ value, obj }: TransformParams) => readOne(value, obj as object, parser)),
    ValidateBy({ name: parser.name, validator: { validate, defaultMessage } }),
  );
}

/** Property decorator: parses each text of a list property in place. */
export function ParseValues(parser: ValueParser): PropertyDecorator {
  const validate = (values: unknown) =>
    Array.isArray(values) && values.every((value) => !(value instanceof Unreadable));
  const defaultMessage = (found?: ValidationArguments) => parser.message(found?.value);
  return applyDecorators(
    Transform(({ value: values, obj }: TransformParams) =>
      Array.isArray(values)
        ? values.map((value) => readOne(value, obj as object, parser))
        : (values as unknown),
    ),
    ValidateBy({ name: parser.name, validator: { validate, defaultMessage } }),
  );
}

function readOne(value: unknown, sent: object, { read }: ValueParser): unknown {
  if (value == null) return value;
  return (
    (typeof value === 'string' ? read(value, sent as Record<string, unknown>) : undefined) ??
    new Unreadable(value)
  );
}

/** @throws the first ProblemError among the property values of a valid input */
export function throwProblemIn(input: object): void {
  for (const value of Object.values(input)) if (value instanceof ProblemError) throw value;
}
