import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { problemCodes, type ProblemCode } from '#api';

/** One error of a request's input, as a problem document lists it. */
class InputProblem {
  /** A JSON pointer into the body, or a parameter's name. */
  @IsString() pointer: string;
  @IsString() detail: string;
}

/** A problem document (RFC 9457). Every answer that is not 2xx or 3xx has this form. */
export class Problem {
  @IsString() type: string;
  @IsString() title: string;
  @IsInt() status: number;
  @IsString() detail: string;
  @JSONSchema((schema) => ({ ...schema, enum: problemCodes() }))
  @IsString()
  code: ProblemCode;
  @IsString() request_id: string;
  @ValidateIf((_, value) => value !== undefined)
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => InputProblem)
  errors?: InputProblem[];
  @JSONSchema({ description: 'The version of the entity, for `version_conflict`.' })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  current_version?: number;
}
