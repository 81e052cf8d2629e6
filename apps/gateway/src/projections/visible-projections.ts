import { Inject, Injectable } from '@nestjs/common';
import { permitsStream } from '#api';
import { projectionStreams, type Definitions, type ProjectionDefinition } from '#registry';
import { DEFINITIONS } from '../adapters/adapters.js';
import { VisibleDefinitions } from '../definitions/visible-definitions.js';

/** The projections that a caller may see: those whose streams are all visible to the caller. */
@Injectable()
export class VisibleProjections extends VisibleDefinitions<ProjectionDefinition> {
  constructor(@Inject(DEFINITIONS) { projections }: Pick<Definitions, 'projections'>) {
    super({
      what: 'projection',
      kind: projections,
      permits: (definition, access) =>
        projectionStreams(definition).every((stream) => permitsStream(access, stream)),
    });
  }
}
