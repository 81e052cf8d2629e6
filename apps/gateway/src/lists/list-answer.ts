import { IsBoolean, IsInt, Min } from 'class-validator';
import { Nullable } from '../openapi/nullable.js';

/** A page of a list, with the number of all its items. */
export class ListAnswer {
  @IsInt() @Min(0) total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}
