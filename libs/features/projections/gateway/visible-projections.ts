import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { permitsStream } from '#api';
import { projectionStreams, type ProjectionDefinition } from '#features/projections/definition';
import { type Definitions } from '#registry';
import { CreatableDefinitions } from '#gateway-kit';
import './projection-problems.js';

/** Reads and changes projections, as far as the caller may see every stream that they fold. */
@Injectable()
export class VisibleProjections extends CreatableDefinitions<ProjectionDefinition> {
  constructor(@Inject(DEFINITIONS) { projections }: Pick<Definitions, 'projections'>) {
    super({
      what: 'projection',
      kind: projections,
      permits: (definition, access) =>
        projectionStreams(definition).every((stream) => permitsStream(access, stream)),
    });
  }
}
