import {
  ArrayUnique,
  IsArray,
  IsInt,
  IsObject,
  IsString,
  Min,
  ValidateNested,
  validateSync,
} from 'class-validator';
import { describe, expect, it } from 'vitest';
import { inputErrors } from './input-errors.js';

class Inner {
  @IsInt() @Min(1, { message: 'must be 1 or more' }) count: unknown = 1;
}

class Input {
  @IsString() name: unknown = 'x';
  @IsArray() @ArrayUnique() @IsString({ each: true }) names: unknown = [];
  @IsObject() @ValidateNested() inner: unknown = new Inner();
}

const errorsOf = (members: object) => inputErrors(validateSync(Object.assign(new Input(), members)), 'body');

describe('the errors of an input', () => {
  it.each<[object, string, string]>([
    [{ name: 7 }, '/name', 'must be a string'],
    [{ name: undefined }, '/name', 'is required'],
    [{ names: ['a', 'a'] }, '/names', 'all elements must be unique'],
    [{ names: [7] }, '/names', 'each value must be a string'],
    [{ inner: Object.assign(new Inner(), { count: 0 }) }, '/inner/count', 'must be 1 or more'],
    [{ inner: 'x' }, '/inner', 'must be an object'],
    [{ inner: ['x'] }, '/inner', 'must be an object'],
    [{ names: 'a' }, '/names', 'must be an array'],
  ])('%j have the pointer %s and the text %s, without the name', (members, pointer, detail) => {
    expect(errorsOf(members)).toEqual([{ pointer, detail }]);
  });
});
