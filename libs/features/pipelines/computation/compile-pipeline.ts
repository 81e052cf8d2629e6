import {
  collectErrors,
  DefinitionError,
  type DefinitionProblem,
  DefinitionMemberReader,
  type SourceFilterSpec,
} from '#dataflow';
import { operatorChain } from './chain.js';
import { OperatorListCompiler, withoutLookups } from './compile-operators.js';
import { compileSelection, selectionMembers } from './flow/stream-selection.js';
import type { CompiledPipeline, StreamSelection } from './flow/pipeline.js';
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
  const chain = withoutLookups();
  const streams = source?.streams ?? [];
  const location = {
    pointer: '/operators',
    upstream: { stage: undefined, streams },
    branches: [],
    chain,
    errors,
  };
  const steps = collectErrors(errors, () => compiler.compileList(members.any('operators'), location));
  checkCounts(compiler, streams, errors);
  if (!source || !steps || errors.length > 0) throw new DefinitionError(errors);

  const { stages, upstreams, effects, entries } = compiler;
  const { idleAfterMs, ...input } = source;
  const main = { ...input, chain: operatorChain(steps, chain, stepSlot(0, 'arrived')) };
  return {
    source: main,
    inputs: [main, ...compiler.inputs],
    idleAfterMs,
    steps: compiler.steps,
    stages,
    entry: (at) => {
      const entry = entries.get(at);
      return entry && operatorChain(entry.make, entry.chain, entry.slot);
    },
    upstreamOf: (stage) => upstreams.get(stage) ?? { stage: undefined, streams: [] },
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
  { operators, effects, stages, inputs }: OperatorListCompiler,
  streams: readonly string[],
  errors: DefinitionProblem[],
): void {
  const outputs = effects.filter(({ kind }) => kind === 'write' || kind === 'call').length;
  const read = new Set([...streams, ...inputs.flatMap((input) => input.streams)]);
  const most = (count: number, limit: number, names: string) => {
    if (count > limit) errors.push({ pointer: '/operators', detail: `has at most ${limit} ${names}` });
  };
  most(operators, pipelineLimits.operators, 'operators, including those in branches');
  most(stages.length, pipelineLimits.stages, 'windows, dedupes, expects and joins');
  most(read.size, pipelineLimits.streams, 'streams in the source and in joins');
  most(outputs, pipelineLimits.outputs, 'emits and webhooks');
  if (outputs === 0 && errors.length === 0)
    errors.push({ pointer: '/operators', detail: 'must have an output: an emit or a webhook' });
}

function compileSourceOf(
  value: unknown,
  pointer: string,
  errors: DefinitionProblem[],
): StreamSelection & Pick<CompiledPipeline, 'idleAfterMs'> {
  const members = new DefinitionMemberReader(value, pointer, [...selectionMembers, 'idle_after']);
  const input = compileSelection(members, errors);
  const idleAfterMs = collectErrors(errors, () =>
    members.has('idle_after') ? members.duration('idle_after', idleBounds) / 1000 : idleDefaultMs,
  );
  return { ...input, idleAfterMs: idleAfterMs ?? idleDefaultMs };
}
