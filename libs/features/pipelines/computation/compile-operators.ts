import { createHash } from 'node:crypto';
import { StepBudget, withinBudget } from '#cel';
import { jsonPointerTo } from '#json';
import { collectErrors, type DefinitionProblem, readList, readObject, definitionError } from '#dataflow';
import type { KeyedStage, StreamInput, StageUpstream } from './flow/pipeline.js';
import { pipelineLimits } from './flow/limits.js';
import { catchOperatorError, type OperatorFunction } from './flow/step.js';
import { rightSideOf } from './flow/right-side.js';
import { stepSlot, type CountedOperator } from './flow/operator-event-counts.js';
import { operators } from './operators/index.js';
import type {
  OperatorExternalReference,
  OperatorFunctionFactory,
  OperatorImplementation,
  OperatorCompileContext,
  RightSide,
  StatefulOperator,
  StatelessOperator,
} from './operators/operator.js';
import { operatorChain } from './chain.js';

/** Where a list of operators is in its pipeline definition. */
interface ListLocation {
  readonly pointer: string;
  /** What feeds the list: the stage that contains it, or the streams of the source. */
  readonly upstream: StageUpstream;
  /** The indices of the branches that lead to the list, in this stage and in the stages before it. */
  readonly branches: readonly number[];
  /** Properties of the chain that contains the list; compiling an operator may change them. */
  readonly chain: { looksUp: boolean };
  /** Receives the errors of the operators, in their order. */
  readonly errors: DefinitionProblem[];
}

interface NamedOperator {
  readonly operator: OperatorImplementation;
  readonly spec: unknown;
  /** JSON pointer to `spec` in the pipeline definition. */
  readonly at: string;
}

/** Returns the properties of a chain that looks up nothing so far. */
export const withoutLookups = (): ListLocation['chain'] => ({ looksUp: false });

const end: OperatorFunctionFactory = () => () => undefined;

/** Compiles the lists of operators of one pipeline definition, and collects what the pipeline consists of. */
export class OperatorListCompiler {
  /** The operators of the pipeline in the order of the definition. */
  readonly steps: CountedOperator[] = [];
  readonly stages: KeyedStage[] = [];
  /** What feeds each stage. */
  readonly upstreams = new Map<string, StageUpstream>();
  /** The right sides of joins, in the order of the definition. */
  readonly inputs: StreamInput[] = [];
  readonly effects: OperatorExternalReference[] = [];
  /** The operators at which a replayed dead letter can continue, by JSON pointer; `slot` counts these events. */
  readonly entries = new Map<
    string,
    { make: OperatorFunctionFactory; chain: ListLocation['chain']; slot: number }
  >();
  operators = 0;

  /** Compiles a list of operators into functions that call each other. An operator with state begins a keyed stage. */
  compileList(value: unknown, location: ListLocation): OperatorFunctionFactory {
    const { pointer, errors } = location;
    const specs = collectErrors(errors, () => readList(value, pointer, [0, pipelineLimits.operators])) ?? [];
    return this.#compileFrom(specs, 0, location);
  }

  #compileFrom(specs: readonly unknown[], index: number, location: ListLocation): OperatorFunctionFactory {
    if (index >= specs.length) return end;
    this.operators += 1;
    const { pointer, errors, chain } = location;
    const named = collectErrors(errors, () => operatorOf(specs[index], jsonPointerTo(pointer, index)));
    if (!named) return this.#compileFrom(specs, index + 1, location);
    const { operator, at, spec } = named;
    const following = followingOf(specs[index + 1], operator, jsonPointerTo(pointer, index + 1));
    const step = this.#addStep(at, operator, index > 0);
    if (following) {
      this.operators += 1;
      this.#addStep(following.at, { isMultiple: true }, true);
    }
    const isLast = index === specs.length - 1;
    const branch: OperatorCompileContext['branch'] = (value, site) =>
      this.#compileBranch(value, site, location);
    const isAfterState = location.upstream.stage !== undefined;
    const compiled = collectErrors(errors, () =>
      operator.compile(spec, { at, isLast, isAfterState, following, branch }),
    );
    const rest = (next: ListLocation) => this.#compileFrom(specs, index + (following ? 2 : 1), next);
    if (!compiled) return rest(location);
    const effects = operator.effects?.(spec, at) ?? [];
    this.effects.push(...effects);
    chain.looksUp ||= effects.some(({ kind }) => kind === 'ask');
    if (typeof compiled === 'function')
      return this.#chained(compiled, named, { chain, step, rest: rest(location) });
    return this.#compileStage(compiled, at, {
      location,
      step,
      resultStep: following ? step + 1 : step,
      rest,
    });
  }

  /** Adds an operator to `steps`, and returns its index there. */
  #addStep(
    at: string,
    { isMultiple = false, isOutput }: Pick<OperatorImplementation, 'isMultiple' | 'isOutput'>,
    follows: boolean,
  ): number {
    const slash = at.lastIndexOf('/');
    const [path, operator] = [at.slice(0, slash), at.slice(slash + 1)];
    return (
      this.steps.push({
        path,
        operator,
        key: at,
        follows,
        isOutput: isOutput ?? false,
        countsOut: isMultiple,
      }) - 1
    );
  }

  #compileBranch(
    value: unknown,
    { pointer, index, errors }: Parameters<OperatorCompileContext['branch']>[1],
    location: ListLocation,
  ): OperatorFunctionFactory {
    const branches = [...location.branches, index];
    const first = this.steps.length;
    const make = this.compileList(value, { ...location, pointer: `${pointer}/operators`, branches, errors });
    const arrivals = this.steps.length > first ? stepSlot(first, 'arrived') : undefined;
    return (traces) => {
      if (traces) return passed(pointer, make(true));
      return arrivals === undefined ? make(false) : counted(arrivals, make(false));
    };
  }

  /** Chains a stateless operator with the compiled operators after it (`rest`). */
  #chained(
    compiled: StatelessOperator,
    { operator: { isOutput, isMultiple }, at }: NamedOperator,
    { chain, step, rest }: { chain: ListLocation['chain']; step: number; rest: OperatorFunctionFactory },
  ): OperatorFunctionFactory {
    const nextOf = (traces: boolean) => {
      const next = rest(traces);
      if (traces) return isOutput ? next : passed(at, next);
      return isMultiple ? counted(stepSlot(step, 'out'), next) : next;
    };
    const make: OperatorFunctionFactory = (traces) => compiled(nextOf(traces), traces);
    const only: OperatorFunctionFactory = (traces) => compiled(end(traces), traces);
    const slot = stepSlot(step, isOutput ? 'alone' : 'arrived');
    this.entries.set(at, { make: isOutput ? only : make, chain, slot });
    return make;
  }

  /** Begins the stage of an operator with state, with the operators that `rest` compiles. */
  #compileStage(
    compiled: StatefulOperator,
    at: string,
    context: {
      location: ListLocation;
      step: number;
      resultStep: number;
      rest: (location: ListLocation) => OperatorFunctionFactory;
    },
  ): OperatorFunctionFactory {
    const { location, step, resultStep, rest } = context;
    const { steps } = this;
    const id = stageId(compiled.identity, location);
    steps[step] = { ...steps[step]!, key: id, countsOut: true };
    if (resultStep !== step) steps[resultStep] = { ...steps[resultStep]!, key: `${id}/reduce` };
    const chain = withoutLookups();
    const stage = {
      id,
      at,
      step,
      resultStep,
      operator: compiled.keyed(id),
      chain: operatorChain(end, chain),
    };
    // The stage is added before its operators are compiled, so that it precedes the stages that it feeds.
    this.stages.push(stage);
    const { upstream } = location;
    const streams = [...new Set([...upstream.streams, ...(compiled.right?.streams ?? [])])];
    this.upstreams.set(id, { ...upstream, streams });
    stage.chain = operatorChain(rest({ ...location, upstream: { stage: id, streams: [] }, chain }), chain);
    const forward = forwardStep({ stage: id, at }, compiled);
    const slot = stepSlot(step, 'arrived');
    this.entries.set(at, { make: () => forward, chain: location.chain, slot });
    if (compiled.right) this.#addInput(compiled.right, { stage: id, at: rightSideOf(at), slot });
    return () => forward;
  }

  /** Adds the right side of a join, whose events enter the pipeline at the stage of the join. */
  #addInput(right: RightSide, { slot, ...to }: { stage: string; at: string; slot: number }): void {
    const { keyOf, ...input } = right;
    const forward = forwardStep({ ...to, side: 'right' }, { keyOf });
    const chain = withoutLookups();
    this.inputs.push({ ...input, chain: operatorChain(() => forward, chain, slot) });
    this.entries.set(to.at, { make: () => forward, chain, slot });
  }
}

/** Reads the only member of an operator: its name and its spec. */
function operatorOf(value: unknown, pointer: string): NamedOperator {
  const names = Object.keys(readObject(value, pointer));
  const [name] = names;
  const known = Object.keys(operators).join(', ');
  if (name === undefined || names.length > 1)
    throw definitionError(pointer, `must have exactly one member, one of ${known}`);
  const at = jsonPointerTo(pointer, name);
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (!operator) throw definitionError(at, `is not a known operator; known operators are ${known}`);
  return { operator, at, spec: (value as Record<string, unknown>)[name] };
}

function followingOf(
  next: unknown,
  { followedBy: name }: OperatorImplementation,
  pointer: string,
): OperatorCompileContext['following'] {
  if (name === undefined || typeof next !== 'object' || next === null) return undefined;
  const names = Object.keys(next);
  if (names.length !== 1 || names[0] !== name) return undefined;
  return { spec: (next as Record<string, unknown>)[name], at: jsonPointerTo(pointer, name) };
}

/**
 * Returns the id of a stage: 16 hexadecimal digits. It changes, and the stage begins without state, if the stage
 * computes something else (window, key or fields), has another upstream stage, or moves to another branch; not if
 * operators are added before or after it.
 */
function stageId(identity: readonly unknown[], { upstream, branches }: ListLocation): string {
  const text = JSON.stringify([identity, upstream.stage ?? null, branches]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Counts an event at `slot` of `OperatorEventCounter.numbers` before the operator `next`. */
function counted(slot: number, next: OperatorFunction): OperatorFunction {
  return (flow, context) => {
    context.counts[slot]! += 1;
    next(flow, context);
  };
}

/** Maximum number of entries in the trace of one event; a dry run returns fewer. */
const mostTraced = 20_000;

/** Adds a trace entry before the operator `next`: the operator at `at` has passed the event on. */
function passed(at: string, next: OperatorFunction): OperatorFunction {
  return (flow, context) => {
    if (context.outcomes.length < mostTraced) context.outcomes.push({ kind: 'pass', at, flow });
    next(flow, context);
  };
}

/** Maximum number of steps that the values of an event may take, to be sent with the event. */
const valuesSteps = 1000;

function forwardStep(
  { stage, at, side }: { stage: string; at: string; side?: 'right' },
  operator: Pick<StatefulOperator, 'keyOf' | 'valuesOf' | 'withoutKey'>,
): OperatorFunction {
  const { keyOf, valuesOf, withoutKey: reason = 'The key is null.' } = operator;
  const keyed = catchOperatorError((flow) => ({ key: keyOf(flow) }), at);
  return (flow, context) => {
    const key = keyed(flow, context)?.key;
    if (key === undefined) return;
    if (key === null) context.outcomes.push({ kind: 'drop', at, reason, flow });
    else {
      // The values only save time: they may use a small part of the steps of an event, of which flat_map makes many.
      const values =
        flow.origin.path === '' && valuesOf
          ? withinBudget(new StepBudget(valuesSteps), () => valuesOf(flow))
          : undefined;
      context.outcomes.push({ kind: 'forward', at, stage, key, flow, values, ...(side && { side }) });
    }
  };
}
