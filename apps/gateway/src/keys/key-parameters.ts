import { limits } from '#event';
import { Cursor, PageLimit } from '../parameters/decorators.js';

export class KeyListParameters {
  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
