import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsArray, IsObject, ValidateBy, ValidateNested, type ValidationOptions } from 'class-validator';
import { isStreamIdOf, streamNameOf } from '#event';
import { isJsonObject, parseTime } from '#json';

/** Decorators of the members of definitions, beside those of class-validator. */

/** The class of the objects in a member: the member is such an object, a list of them, or an object of them by name. */
export interface NestedType {
  type: () => new () => object;
  form: 'object' | 'list' | 'map';
}

const nestedType = Symbol('nested type');

/** Returns the class of the objects in a member; undefined if the member contains none. */
export function nestedTypeOf(type: new () => object, member: string): NestedType | undefined {
  return Reflect.getMetadata(nestedType, type.prototype as object, member) as NestedType | undefined;
}

function nested(
  type: NestedType['type'],
  form: NestedType['form'],
  rules: PropertyDecorator[],
): PropertyDecorator {
  return all(...rules, (target, member) =>
    Reflect.defineMetadata(nestedType, { type, form }, target, member),
  );
}

/** Validates that a member is an object of this class. */
export function Nested(type: NestedType['type']): PropertyDecorator {
  return nested(type, 'object', [IsObject(), ValidateNested(), Type(type)]);
}

/** Validates that a member is this other value, or an object of this class. */
export function NestedOr(other: string | null, type: NestedType['type']): PropertyDecorator {
  const isObjectOr = rule(`isObjectOr ${other}`, (value) => value === other || isJsonObject(value));
  return nested(type, 'object', [isObjectOr()]);
}

/** Validates that a member is a list of objects of this class. */
export function ListOf(type: NestedType['type']): PropertyDecorator {
  return nested(type, 'list', [IsArray(), ValidateNested({ each: true }), Type(type)]);
}

/** Validates that a member is an object whose members, with any names, are objects of this class. */
export function MapOf(type: NestedType['type']): PropertyDecorator {
  return nested(type, 'map', [IsJsonObject()]);
}

const isWhole = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least;

/** Validates that a member is a whole number of at least 0, which JavaScript represents exactly. */
export const IsWholeNumber = rule('isWholeNumber', (value) => isWhole(value, 0));

/** Validates that a member is a whole number of at least 1, which JavaScript represents exactly. */
export const IsCount = rule('isCount', (value) => isWhole(value, 1));

/** Validates that a member is an object of whole numbers of at least 0, by any names. */
export const AreWholeNumbersByName = rule(
  'areWholeNumbersByName',
  (value) => isJsonObject(value) && Object.values(value).every((number) => isWhole(number, 0)),
);

/** Validates that a member is an RFC 3339 time. */
export const IsTime = rule('isTime', (value) => typeof value === 'string' && parseTime(value) !== undefined);

/** Validates that a member is the id of a stream. */
export const IsStreamId = rule(
  'isStreamId',
  (value) => typeof value === 'string' && isStreamIdOf(streamNameOf(value), value),
);

/** Validates that a member is a text or null. */
export const IsTextOrNull = rule('isTextOrNull', (value) => value === null || typeof value === 'string');

/** Validates that a member is an object with any members. */
export const IsJsonObject = rule('isJsonObject', isJsonObject);

/** Validates that a member is present, with any value. */
export const IsPresent = rule('isPresent', (value) => value !== undefined);

/** Returns a decorator that validates a member with this function. */
export function rule(
  name: string,
  validate: (value: unknown) => boolean,
): (options?: ValidationOptions) => PropertyDecorator {
  return (options) => ValidateBy({ name, validator: { validate } }, options);
}

function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, member) => {
    for (const decorate of decorators) decorate(target, member);
  };
}
