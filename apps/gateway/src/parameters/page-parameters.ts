import { limits } from '#event';
import { Cursor, PageLimit } from './decorators.js';

/** Selects a page of a list. */
export class PageParameters {
  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
