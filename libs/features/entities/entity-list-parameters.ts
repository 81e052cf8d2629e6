import { OneStreamName, Parameter, PageParameters } from '#gateway-kit';

/** Query parameters of `GET /api/v1/entities`. */
export class EntityListParameters extends PageParameters {
  @OneStreamName()
  @Parameter('Only entities of this stream.', 'orders')
  stream?: string;
}
