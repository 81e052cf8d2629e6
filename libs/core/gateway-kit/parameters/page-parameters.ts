import { limits } from '#event';
import { Cursor, PageLimit } from './decorators.js';

/** Query parameters `limit` and `cursor` of a list. */
export class PageParameters {
  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
