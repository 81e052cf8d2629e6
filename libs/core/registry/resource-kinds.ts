import { keyKind } from './keys/key-kind.js';
import { pipelineKind } from './pipelines/pipeline-kind.js';
import { projectionKind } from './projections/projection-kind.js';
import { schemaKind } from './schemas/schema-kind.js';

/** The kinds of definitions of the features, which every app passes to `openDefinitions`. */
export const resourceKinds = [schemaKind, keyKind, projectionKind, pipelineKind];
