/** The client's type for each schema of the OpenAPI document. */
export const typeOf: Record<string, string> = {
  BatchWritten: 'Client.BatchWriteResult',
  CreatedStream: 'Client.CreatedStream',
  DataValidationAnswer: 'Client.DataValidationResult',
  DeadLetterAnswer: 'Client.DeadLetter',
  DeliveryRetryAnswer: 'Client.DeliveryRetry',
  DryRunReportAnswer: 'Client.DryRunReport',
  DryRunEmittedEventAnswer: 'Client.DryRunEmittedEvent',
  DryRunEvent: 'Client.DryRunEvent',
  DryRunTraceAnswer: 'Client.DryRunTrace',
  DryRunFailedEventAnswer: 'Client.DryRunFailedEvent',
  DryRunInput:
    "Omit<Client.DryRunInput, 'definition' | 'events'> & { definition: Definition; events: NewEvent[] }",
  DryRunLateEventAnswer: 'Client.DryRunLateEvent',
  DryRunStepAnswer: 'Client.DryRunStep',
  DryRunWindowAnswer: 'Client.DryRunWindow',
  EntityAnswer: 'Client.Entity',
  EntityStateAnswer: 'NoText<Client.EntityState>',
  ErasureAnswer: 'Client.ErasureResult',
  EventAnswer: 'NoText<Client.StoredEvent>',
  EventCount: 'Client.EventCount',
  EventCountBucket: 'Client.EventCountBucket',
  EventInput: 'NewEvent',
  HealthAnswer: 'Client.Health',
  HealthHistoryAnswer: 'Client.HealthHistory',
  HealthHistorySample: 'Client.HealthHistorySample',
  IncompatibilityAnswer: 'Client.Incompatibility',
  InputProblem: 'Client.InputProblem',
  IntakeAnswer: 'Client.IntakeResult',
  InternalTopicAnswer: 'Client.InternalTopic',
  IssuedKeyAnswer: 'Client.IssuedApiKey',
  KeyAnswer: 'Client.ApiKey',
  KeyInput: 'Client.ApiKeyInput',
  LagSample: 'Client.LagSample',
  LastWrittenPosition: 'Client.LastWrittenPosition',
  CreatedSnapshotAnswer: 'NoText<Client.CreatedEntityStateSnapshot>',
  UnreplayedDeadLetterAnswer: 'Client.UnreplayedDeadLetter',
  PipelineAnswer: 'AnyOperators<Client.Pipeline>',
  PipelineDetailAnswer: 'AnyOperators<Client.PipelineDetail>',
  PipelineStepStatsAnswer: 'Client.PipelineStepStats',
  PipelineWithStatsAnswer: 'AnyOperators<Client.PipelineWithStats>',
  PipelineInput: 'AnyOperators<Client.PipelineInput>',
  PipelineReplacementInput: 'Definition',
  PipelineSourceAnswer: 'Client.PipelineSource',
  PipelineSourceInput: 'Client.PipelineSource',
  Problem: 'Client.Problem',
  ProjectionAnswer: 'Client.Projection',
  ProjectionDetailAnswer: 'Client.ProjectionDetail',
  ProjectionFieldInput: 'Client.Field',
  ProjectionWithStatsAnswer: 'Client.ProjectionWithStats',
  ProjectionInput: 'Client.ProjectionInput',
  ProjectionReplacementInput: 'Client.ProjectionReplacement',
  ProjectionSourceAnswer: 'Client.DefinitionSource',
  ProjectionSourceInput: 'Client.DefinitionSource',
  ProjectionStateAnswer: 'NoText<Client.ProjectionKeyState>',
  RateLimitInput: 'Client.RateLimitInput',
  RefusedValue: 'Client.RefusedValue',
  RejectedEvent: 'Client.RejectedEvent',
  ReplayAnswer: 'Client.ReplayReport',
  ReplayInput: 'Client.ReplayInput',
  ReplayWrittenEventAnswer: 'Client.ReplayWrittenEvent',
  RotationInput: 'Client.ApiKeyRotationInput',
  SchemaAnswer: 'AnySchema<Client.Schema>',
  SchemaCheckAnswer: 'Client.SchemaCheckResult',
  SchemaCheckInput: 'AnySchema<Client.SchemaCheckInput>',
  SchemaInput: 'AnySchema<Client.SchemaInput>',
  SnapshotAnswer: 'NoText<Client.EntityStateSnapshot>',
  EntitySnapshotInput: 'Client.EntityAddress',
  StreamAnswer: 'Client.Stream',
  StreamDetail: 'Client.StreamDetail',
  StreamChangeInput: 'Client.StreamChange',
  StreamInput: 'Client.StreamInput',
  ViolationAnswer: 'Client.Violation',
  WrittenEvent: 'Client.WrittenEvent',
  WrittenPosition: 'Client.WrittenPosition',
};

/** Schemas without a type of their own: lists are pages of their items, and a batch is a list of events. */
export const notTyped = /(List|Page)$|^BatchInput$/;

/** The client's type for the query parameters of each route that reads. */
export const queries: Record<string, string> = {
  '/api/v1/events/query': 'Client.EventQuery',
  '/api/v1/events/count': 'Client.EventCountQuery',
  '/api/v1/events/export': 'Client.EventExportQuery',
  // The client reads events and requests no other format.
  '/api/v1/events/stream': 'Client.EventFilter & { format?: string }',
  '/api/v1/streams': 'Client.ListQuery',
  '/api/v1/schemas': 'Client.SchemaListQuery',
  '/api/v1/snapshots': 'Client.ListQuery & Partial<Client.EntityAddress>',
  '/api/v1/dead-letters': 'Client.DeadLetterQuery',
  '/api/v1/entities/{entity_id}/state': "Omit<Client.EntityStateQuery, 'entity_id'>",
  '/api/v1/projections/{name}/state': 'Client.ProjectionStatesQuery',
};

/**
 * Compares types in both directions. Types that allow any JSON on both sides are equal, and so are a `Date` and its
 * text.
 */
const comparison = `
type Loose<T> =
  unknown extends T ? 'json'
  : T extends Date ? string
  : T extends string | number | boolean | null | undefined ? T
  : T extends readonly (infer Item)[] ? Loose<Item>[]
  : string extends keyof T ? 'json'
  : keyof T extends never ? 'json'
  : { [K in keyof T]: Loose<T[K]> };
type Lacks<A, B> = { lacks: Exclude<keyof B, keyof A> };
type Same<A, B> =
  [Exclude<keyof A, keyof B>] extends [never]
    ? [Exclude<keyof B, keyof A>] extends [never]
      ? [A, B] extends [B, A] ? true : { differ: A; from: B }
      : { client: Lacks<A, B> }
    : { document: Lacks<B, A> };
type Agree<Ours, Theirs> = Same<Loose<Ours>, Loose<Theirs>>;
type Keys<Ours, Theirs> = Same<Record<keyof Ours, true>, Record<keyof Theirs, true>>;
type Texts = 'dataText' | 'metadataText' | 'stateText';
type NoText<T> = Omit<T, Texts>;
type AnyOperators<T> = Omit<T, 'operators'> & { operators: object[] };
type AnySchema<T> = Omit<T, 'schema'> & { schema: unknown };
type Definition = AnyOperators<Client.PipelineReplacement>;
type NewEvent = Extract<Client.NewEvent, { data: object }>;
`;

/** Returns a module that compiles only if the types agree. */
export function agreementText(client: string): string {
  const schemas = Object.entries(typeOf).map(
    ([name, type]) => `export const ${name}: Agree<${type}, components['schemas']['${name}']> = true;`,
  );
  const parameters = Object.entries(queries).map(
    ([path, type], n) =>
      `export const query${n}: Keys<${type}, NonNullable<paths['${path}']['get']['parameters']['query']>> = true;`,
  );
  return [
    `import type * as Client from '${client}';`,
    `import type { components, paths } from './openapi.js';`,
    ...[comparison, ...schemas, ...parameters],
  ].join('\n');
}
