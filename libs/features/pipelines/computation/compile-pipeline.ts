import { limits, streamNamePattern, streamNameRule } from '#event';
import {
  compileSource,
  collectErrors,
  DefinitionError,
  type DefinitionProblem,
  expressionText,
  readList,
  DefinitionMemberReader,
  definitionError,
  readText,
  type SourceFilterSpec,
} from '#dataflow';
import { operatorChain } from './chain.js';
import { OperatorListCompiler } from './compile-operators.js';
import { readableEvent } from './flow/lazily-parsed-event.js';
import type { CompiledPipeline } from './flow/pipeline.js';
import { pipelineLimits } from './flow/limits.js';
import { stepSlot } from './flow/operator-event-counts.js';
import type { OperatorJson } from './operators/operator.js';

/**
 * A pipeline definition, in the form that clients write: CEL on `event`, and durations such as `10s`, `1m`, `1h`, `1d`.
 */
export interface PipelineSpec {
  source: SourceFilterSpec & {
    streams: readonly string[];
    /** A partition without a record for this long, at the end of its log, holds back no window. Default: `30s`. */
    idle_after?: string;
  };
  operators: readonly OperatorJson[];
  /** Where a job begins in a source stream that it has not read yet: at its first record, or at its end. */
  from: 'beginning' | 'now';
}

const idleBounds = { least: '1s', most: '1d' };
const idleDefaultMs = 30_000;

/**
 * Compiles a pipeline definition, which may be unchecked JSON of a request.
 * @throws DefinitionError with every error, each with a pointer to the operator and a position in the expression
 */
export function compilePipeline(spec: PipelineSpec): CompiledPipeline {
  const compiler = new OperatorListCompiler();
  const errors: DefinitionProblem[] = [];
  const members = collectErrors(
    errors,
    () => new DefinitionMemberReader(spec, '', ['source', 'operators', 'from']),
  );
  if (!members) throw new DefinitionError(errors);
  collectErrors(errors, () => members.oneOf('from', ['beginning', 'now']));
  const source = collectErrors(errors, () =>
    members.read('source', (value, pointer) => compileSourceOf(value, pointer, errors)),
  );
  const chain = { looksUp: false };
  const location = { pointer: '/operators', stage: undefined, branches: [], chain, errors };
  const steps = collectErrors(errors, () => compiler.compileList(members.any('operators'), location));
  checkCounts(compiler, errors);
  if (!source || !steps || errors.length > 0) throw new DefinitionError(errors);

  const { stages, upstreams, effects, entries } = compiler;
  return {
    ...source,
    chain: operatorChain(steps, chain, stepSlot(0, 'arrived')),
    steps: compiler.steps,
    stages,
    entry: (at) => {
      const entry = entries.get(at);
      return entry && operatorChain(entry.make, entry.chain, entry.slot);
    },
    feederOf: (stage) => upstreams.get(stage),
    writes: new Set(effects.filter((effect) => effect.kind === 'write').map(({ stream }) => stream)),
    webhooks: effects
      .filter((effect) => effect.kind === 'call')
      .map(({ at, url, secretRef }) => ({ at, url, secretRef })),
    projections: new Set(
      effects.filter((effect) => effect.kind === 'ask').map(({ projection }) => projection),
    ),
  };
}

function checkCounts(
  { operators, effects, stages }: OperatorListCompiler,
  errors: DefinitionProblem[],
): void {
  const outputs = effects.filter(({ kind }) => kind !== 'ask').length;
  const most = (count: number, limit: number, names: string) => {
    if (count > limit) errors.push({ pointer: '/operators', detail: `has at most ${limit} ${names}` });
  };
  most(operators, pipelineLimits.operators, 'operators, including those in branches');
  most(stages.length, pipelineLimits.stages, 'windows, dedupes and expects');
  most(outputs, pipelineLimits.outputs, 'emits and webhooks');
  if (outputs === 0 && errors.length === 0)
    errors.push({ pointer: '/operators', detail: 'must have an output: an emit or a webhook' });
}

function compileSourceOf(
  value: unknown,
  pointer: string,
  errors: DefinitionProblem[],
): Pick<CompiledPipeline, 'eventTypes' | 'matches' | 'idleAfterMs'> {
  const members = new DefinitionMemberReader(value, pointer, [
    'streams',
    'event_types',
    'where',
    'idle_after',
  ]);
  collectErrors(errors, () => members.read('streams', checkStreams));
  const types = collectErrors(errors, () => members.optional('event_types', eventTypesOf));
  const where = collectErrors(errors, () =>
    members.optional('where', (text, at) => expressionText(text, at, limits.whereCharacters)),
  );
  const matches = where === undefined ? undefined : collectErrors(errors, () => compileSource({ where }));
  const idleAfterMs = collectErrors(errors, () =>
    members.has('idle_after') ? members.duration('idle_after', idleBounds) / 1000 : idleDefaultMs,
  );
  return {
    eventTypes: types,
    matches: (flow) =>
      (!types || types.has(flow.event.event_type)) && (matches?.(readableEvent(flow)) ?? true),
    idleAfterMs: idleAfterMs ?? idleDefaultMs,
  };
}

function checkStreams(value: unknown, pointer: string): void {
  const streams = readList(value, pointer, [1, pipelineLimits.streams]);
  streams.forEach((name, i) => {
    const stream = readText(name, `${pointer}/${i}`, limits.streamCharacters);
    if (!streamNamePattern.test(stream)) throw definitionError(`${pointer}/${i}`, streamNameRule);
    if (streams.indexOf(stream) < i) throw definitionError(`${pointer}/${i}`, 'is a duplicate');
  });
}

function eventTypesOf(value: unknown, pointer: string): ReadonlySet<string> {
  const types = readList(value, pointer, [1, limits.filterValues]);
  return new Set(types.map((type, i) => readText(type, `${pointer}/${i}`, limits.eventTypeCharacters)));
}
