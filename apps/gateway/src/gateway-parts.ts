import type { TopicNames } from '#event';
import type { Definitions } from '#registry';
import type { AnswerBudget } from '#http';
import type { WritePorts } from '#writing';
import type { Log, Producer } from '#log';
import type { CompatibilityPolicy } from '#schemas';
import type { EventReader, SnapshotStore, Store } from '#store';
import type { Logger } from '#telemetry';
import { wrongInWebhookUrl, type WebhookNetworks } from '#webhooks';
import { ReadableStreams } from './access/readable-streams.js';
import { DeadLetterReplay } from './dead-letters/dead-letter-replay.js';
import { EntityErasure } from './erasure/entity-erasure.js';
import { LiveConnections } from './live/live-connections.js';
import { LiveStreams } from './live/live-streams.js';
import { LogFollower } from './live/log-follower.js';
import { ChangeStreams } from './projections/changes/change-streams.js';
import { ProjectionFollower } from './projections/changes/projection-follower.js';
import { ProjectionChanges } from './projections/projection-changes.js';
import { ProjectionFigures } from './projections/projection-figures.js';
import { ProjectionLag } from './projections/projection-lag.js';
import { ProjectionStates } from './projections/states/projection-states.js';
import { PipelineChanges } from './pipelines/pipeline-changes.js';
import { PipelineDryRun } from './pipelines/dry-run/pipeline-dry-run.js';
import { PipelineFigures } from './pipelines/pipeline-figures.js';
import { PipelineLag } from './pipelines/pipeline-lag.js';
import { ReadGate } from './reads/read-gate.js';
import { SchemaChecks } from './schemas/schema-checks.js';
import { StreamDeletion } from './streams/stream-deletion.js';
import { WaitFor } from './wait-for/wait-for.js';

/** What the gateway is put together from. */
export interface GatewayEngines {
  log: Pick<Log, 'admin'>;
  store: Pick<Store, 'reader' | 'writer' | 'eraser' | 'projections' | 'pipelines' | 'snapshots'>;
  /** Where live streams are read from: what it reads counts in no budget of answers. */
  live: Pick<Store, 'reader' | 'projections'>;
  definitions: Definitions;
  producer: Producer;
  topics: TopicNames;
}

export interface GatewayOptions {
  gate: ReadGate;
  answers: AnswerBudget;
  autoCreateStreams: boolean;
  schemaPolicy: CompatibilityPolicy;
  /** Open streams of live events and changes at most. */
  liveStreams: number;
  /** Of these, those of one key at most. */
  liveStreamsPerKey: number;
  /** Networks that webhooks may go to although they are not public. */
  webhookNetworks: WebhookNetworks;
  logger: Logger;
  /** Milliseconds that a request waits for a position. */
  waitForMs?: number;
  /** Milliseconds that a request waits for a stream that this process has not heard of. */
  unknownStreamMs?: number;
}

/** What both ports share: one gate and one set of waiting requests, whichever port a request came in on. */
export interface GatewayParts {
  reader: EventReader;
  snapshots: SnapshotStore;
  definitions: Definitions;
  gate: ReadGate;
  answers: AnswerBudget;
  streams: ReadableStreams;
  deletion: StreamDeletion;
  erasure: EntityErasure;
  replay: DeadLetterReplay;
  checks: SchemaChecks;
  projectionChanges: ProjectionChanges;
  projectionLag: ProjectionLag;
  projectionFigures: ProjectionFigures;
  projectionStates: ProjectionStates;
  connections: LiveConnections;
  pipelineChanges: PipelineChanges;
  pipelineFigures: PipelineFigures;
  pipelineDryRun: PipelineDryRun;
  live: LiveStreams;
  stateChanges: ChangeStreams;
  write: WritePorts;
}

/** Puts the parts together, top to bottom. */
export function gatewayParts(engines: GatewayEngines, options: GatewayOptions): GatewayParts {
  const { log, store, live, definitions, producer, topics } = engines;
  const { gate, answers, autoCreateStreams, schemaPolicy, webhookNetworks, waitForMs, unknownStreamMs } =
    options;
  const { liveStreams, liveStreamsPerKey: maxStreamsPerKey, logger } = options;
  const { reader, writer, eraser, projections, pipelines, snapshots } = store;
  const { admin } = log;
  const waitFor = new WaitFor({
    ...{ admin, definitions, topics },
    ...(waitForMs !== undefined && { timeoutMs: waitForMs }),
    ...(unknownStreamMs !== undefined && { unknownStreamMs }),
  });
  const streams = new ReadableStreams({
    ...{ definitions, waitFor },
    ...(unknownStreamMs !== undefined && { unknownStreamMs }),
  });
  const projectionLag = new ProjectionLag({ admin, definitions, topics });
  const connections = new LiveConnections({ logger, maxStreams: liveStreams, maxStreamsPerKey });
  const figures = new ProjectionFigures({ projections, gate, lag: projectionLag });
  const wrongInWebhook = (url: string) => wrongInWebhookUrl(url, webhookNetworks);
  return {
    reader,
    snapshots,
    definitions,
    gate,
    answers,
    streams,
    deletion: new StreamDeletion({ definitions, eraser }),
    erasure: new EntityErasure({ admin, definitions, reader, eraser, waitFor, topics, gate }),
    replay: new DeadLetterReplay({ reader, writer, eraser, producer, definitions, topics, gate }),
    checks: new SchemaChecks(schemaPolicy),
    projectionChanges: new ProjectionChanges({ definitions, admin, topics, projections, streams }),
    projectionLag,
    projectionFigures: figures,
    projectionStates: new ProjectionStates({ definitions, projections, figures, waitFor, gate, topics }),
    pipelineChanges: new PipelineChanges({
      ...{ definitions, admin, topics, streams, pipelines, gate },
      autoCreateStreams,
      wrongInWebhook,
    }),
    pipelineFigures: new PipelineFigures({
      ...{ pipelines, gate },
      lag: new PipelineLag({ admin, definitions, topics }),
    }),
    pipelineDryRun: new PipelineDryRun({ definitions, projections, gate, streams, wrongInWebhook }),
    connections,
    live: new LiveStreams({
      ...{ connections, definitions, logger },
      reader: live.reader,
      follower: new LogFollower({ ...{ admin, definitions, topics, logger }, reader: live.reader }),
    }),
    stateChanges: new ChangeStreams({
      ...{ connections, definitions, logger },
      follower: new ProjectionFollower({
        ...{ definitions, logger, closed: connections.closed },
        projections: live.projections,
        gate: new ReadGate({ concurrent: 3, queued: liveStreams, waitMs: 60_000 }),
      }),
    }),
    write: { producer, definitions, topics, autoCreateStreams },
  };
}
