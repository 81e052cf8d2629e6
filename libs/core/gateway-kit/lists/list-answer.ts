import { IsBoolean, IsInt, Min } from 'class-validator';
import { Nullable } from '../openapi/nullable.js';

/** Members that the OpenAPI schema of every list has: the total number of items, and the cursor of the next page. */
export class ListAnswer {
  @IsInt() @Min(0) total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}
