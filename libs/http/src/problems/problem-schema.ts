import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { problems, type ProblemCode } from '#api';

/** One thing that is wrong with the input. */
export class InputProblem {
  /** A JSON pointer into the body, or a parameter's name. */
  @IsString() pointer: string;
  @IsString() detail: string;
}

/** RFC 9457, as every answer that is not 2xx or 3xx is. */
export class Problem {
  @IsString() type: string;
  @IsString() title: string;
  @IsInt() status: number;
  @IsString() detail: string;
  @IsIn(Object.keys(problems)) code: ProblemCode;
  @IsString() request_id: string;
  @ValidateIf((_, value) => value !== undefined)
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => InputProblem)
  errors?: InputProblem[];
}
