import { OneStreamName, Parameter } from '../parameters/decorators.js';
import { PageParameters } from '../parameters/page-parameters.js';

/** Query parameters of `GET /api/v1/entities`. */
export class EntityListParameters extends PageParameters {
  @OneStreamName()
  @Parameter('Only entities of this stream.', 'orders')
  stream?: string;
}
