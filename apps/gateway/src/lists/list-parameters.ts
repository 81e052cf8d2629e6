import { limits } from '#event';
import { Cursor, OneStream, PageLimit, Parameter } from '../parameters/decorators.js';

export class EntityListParameters {
  @OneStream()
  @Parameter('Only entities of this stream.', 'orders')
  stream?: string;

  @PageLimit()
  limit: number = limits.pageDefault;

  @Cursor()
  cursor?: string;
}
