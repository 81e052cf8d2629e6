import { Module, type DynamicModule } from '@nestjs/common';
import { WriteModule } from '#writing';
import { ReadableStreams } from './access/readable-streams.js';
import { DeadLetterReplay } from './dead-letters/dead-letter-replay.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { ReplayController } from './dead-letters/replay.controller.js';
import { EntityStateController } from './entities/entity-state.controller.js';
import { SnapshotsController } from './entities/snapshots.controller.js';
import { EntityErasure } from './erasure/entity-erasure.js';
import { ErasureController } from './erasure/erasure.controller.js';
import { EventCountController } from './events/event-count.controller.js';
import { EventQueryController } from './events/event-query.controller.js';
import { EventController } from './events/event.controller.js';
import type { GatewayParts } from './gateway-parts.js';
import { KeyController } from './keys/key.controller.js';
import { KeyStore } from './keys/key-store.js';
import { KeysController } from './keys/keys.controller.js';
import { EntitiesController } from './lists/entities.controller.js';
import { DryRunController } from './pipelines/dry-run/dry-run.controller.js';
import { PipelineDryRun } from './pipelines/dry-run/pipeline-dry-run.js';
import { PipelineChanges } from './pipelines/pipeline-changes.js';
import { PipelineFigures } from './pipelines/pipeline-figures.js';
import { PipelineRunController } from './pipelines/pipeline-run.controller.js';
import { PipelineController } from './pipelines/pipeline.controller.js';
import { PipelinesController } from './pipelines/pipelines.controller.js';
import { ChangeStreams } from './projections/changes/change-streams.js';
import { StateChangesController } from './projections/changes/state-changes.controller.js';
import { ProjectionChanges } from './projections/projection-changes.js';
import { ProjectionFigures } from './projections/projection-figures.js';
import { ProjectionRunController } from './projections/projection-run.controller.js';
import { ProjectionController } from './projections/projection.controller.js';
import { ProjectionsController } from './projections/projections.controller.js';
import { ProjectionStates } from './projections/states/projection-states.js';
import { ProjectionStatesController } from './projections/states/projection-states.controller.js';
import { EventStreamController } from './live/event-stream.controller.js';
import { LiveStreams } from './live/live-streams.js';
import { ReadGate } from './reads/read-gate.js';
import { SchemaCheckController } from './schemas/schema-check.controller.js';
import { SchemaChecks } from './schemas/schema-checks.js';
import { SchemaVersionsController } from './schemas/schema-versions.controller.js';
import { SchemaController } from './schemas/schema.controller.js';
import { SchemasController } from './schemas/schemas.controller.js';
import { StreamDeletionController } from './streams/stream-deletion.controller.js';
import { StreamDeletion } from './streams/stream-deletion.js';
import { StreamSummaries } from './streams/stream-summaries.js';
import { StreamController } from './streams/stream.controller.js';
import { StreamsController } from './streams/streams.controller.js';
import { DEFINITIONS, READER, SNAPSHOTS } from './tokens.js';

/** The API, once for each port: reading here, writing as `apps/ingest` does it. */
@Module({})
export class GatewayModule {
  static with(parts: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      imports: [WriteModule.with(parts.write)],
      controllers: [
        EventQueryController,
        EventCountController,
        EventStreamController,
        EventController,
        StreamsController,
        StreamController,
        StreamDeletionController,
        EntitiesController,
        EntityStateController,
        SnapshotsController,
        ErasureController,
        DeadLettersController,
        ReplayController,
        KeysController,
        KeyController,
        SchemasController,
        SchemaController,
        SchemaVersionsController,
        SchemaCheckController,
        ProjectionsController,
        ProjectionController,
        ProjectionRunController,
        ProjectionStatesController,
        StateChangesController,
        PipelinesController,
        DryRunController,
        PipelineController,
        PipelineRunController,
      ],
      providers: [
        { provide: READER, useValue: parts.reader },
        { provide: SNAPSHOTS, useValue: parts.snapshots },
        { provide: DEFINITIONS, useValue: parts.definitions },
        KeyStore,
        { provide: ReadGate, useValue: parts.gate },
        { provide: ReadableStreams, useValue: parts.streams },
        StreamSummaries,
        { provide: StreamDeletion, useValue: parts.deletion },
        { provide: EntityErasure, useValue: parts.erasure },
        { provide: DeadLetterReplay, useValue: parts.replay },
        { provide: SchemaChecks, useValue: parts.checks },
        { provide: LiveStreams, useValue: parts.live },
        { provide: ChangeStreams, useValue: parts.stateChanges },
        { provide: ProjectionChanges, useValue: parts.projectionChanges },
        { provide: ProjectionFigures, useValue: parts.projectionFigures },
        { provide: ProjectionStates, useValue: parts.projectionStates },
        { provide: PipelineChanges, useValue: parts.pipelineChanges },
        { provide: PipelineFigures, useValue: parts.pipelineFigures },
        { provide: PipelineDryRun, useValue: parts.pipelineDryRun },
      ],
    };
  }
}
