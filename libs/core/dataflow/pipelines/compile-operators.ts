import { jsonPointerTo } from '#json';
import { collectErrors, type DefinitionProblem } from '../definition/definition-error.js';
import { list, object, definitionError } from '../definition/members.js';
import type { KeyedStage, OperatorChain } from '../flow/pipeline.js';
import { pipelineLimits } from '../flow/limits.js';
import { catchOperatorError, type OperatorFunction } from '../flow/step.js';
import { stepSlot, type CountedOperator } from '../flow/operator-event-counts.js';
import { operators } from '../operators/index.js';
import type {
  OperatorExternalReference,
  OperatorFunctionFactory,
  OperatorImplementation,
  OperatorCompileContext,
  StatefulOperator,
  StatelessOperator,
} from '../operators/operator.js';
import { operatorChain } from './chain.js';
import { stageId } from './stage-id.js';

/** Collects the parts of a pipeline while its definition is compiled. */
export class PipelinePartsCollector {
  /** The operators of the pipeline in the order of the definition. */
  readonly steps: CountedOperator[] = [];
  readonly stages: KeyedStage[] = [];
  readonly feeders = new Map<string, string | undefined>();
  readonly effects: OperatorExternalReference[] = [];
  /** Entry points for replayed dead letters, by the JSON pointer to the operator. */
  readonly entries = new Map<string, ReplayEntryPoint>();
  operators = 0;
}

/** An operator of a compiled pipeline at which a replayed dead letter can continue. */
interface ReplayEntryPoint {
  readonly make: OperatorFunctionFactory;
  /** Properties of the chain that contains the operator. */
  readonly chain: Pick<OperatorChain, 'looksUp'>;
  /** Index in `OperatorEventCounter.numbers` of the count of events that enter the pipeline at this operator. */
  readonly slot: number;
}

/** Where a list of operators is in its pipeline definition: the stage, the branches and the chain that contain it. */
interface ListLocation {
  readonly pointer: string;
  /** Id of the stage that contains the list; undefined for the first stage, which reads the source. */
  readonly stage: string | undefined;
  /** The indices of the branches that lead to the list, in this stage and in the stages before it. */
  readonly branches: readonly number[];
  /** Properties of the chain that contains the list; compiling an operator may change the properties. */
  readonly chain: { looksUp: boolean };
  /** Receives the errors of the operators, in their order. */
  readonly errors: DefinitionProblem[];
}

const end: OperatorFunctionFactory = () => () => undefined;

/** Compiles a list of operators into functions that call each other. An operator with state begins a keyed stage. */
export function compileList(
  value: unknown,
  place: ListLocation,
  made: PipelinePartsCollector,
): OperatorFunctionFactory {
  const { pointer, errors } = place;
  const specs = collectErrors(errors, () => list(value, pointer, [0, pipelineLimits.operators])) ?? [];
  return compileFrom(specs, 0, { ...place, made });
}

type CompilationContext = ListLocation & { readonly made: PipelinePartsCollector };

function compileFrom(
  specs: readonly unknown[],
  index: number,
  context: CompilationContext,
): OperatorFunctionFactory {
  if (index >= specs.length) return end;
  const { made, errors } = context;
  made.operators += 1;
  const named = collectErrors(errors, () => operatorOf(specs[index], jsonPointerTo(context.pointer, index)));
  if (!named) return compileFrom(specs, index + 1, context);
  const { operator, at, spec } = named;
  const site = siteOf(named, { specs, index, context });
  const { following } = site;
  const step = addStep({ at, operator, follows: index > 0 }, made);
  if (following) {
    made.operators += 1;
    addStep({ at: following.at, operator: { isMultiple: true }, follows: true }, made);
  }
  const compiled = collectErrors(errors, () => operator.compile(spec, site));
  if (compiled) addEffects(named, context);
  const rest = (place: CompilationContext) => compileFrom(specs, index + (following ? 2 : 1), place);
  if (!compiled) return rest(context);
  return typeof compiled === 'function'
    ? compileStep(compiled, named, { context, step, rest: rest(context) })
    : compileStage(compiled, at, { context, step, reduceStep: following && step + 1, rest });
}

/** Adds an operator to `PipelinePartsCollector.steps`, and returns its index there. */
function addStep({ at, operator, follows }: AddedOperator, { steps }: PipelinePartsCollector): number {
  const { isMultiple: countsOut = false, isOutput = false } = operator;
  const end = at.lastIndexOf('/');
  const step = { path: at.slice(0, end), operator: at.slice(end + 1), key: at, follows, isOutput, countsOut };
  return steps.push(step) - 1;
}

interface AddedOperator {
  /** JSON pointer to the operator's value. */
  readonly at: string;
  readonly operator: Pick<OperatorImplementation, 'isMultiple' | 'isOutput'>;
  readonly follows: boolean;
}

interface NamedOperator {
  readonly operator: OperatorImplementation;
  readonly spec: unknown;
  /** JSON pointer to the operator's specification (`spec`) in the pipeline definition. */
  readonly at: string;
}

/** Reads the only member of an operator: its name and its spec. */
function operatorOf(value: unknown, pointer: string): NamedOperator {
  const names = Object.keys(object(value, pointer));
  const [name] = names;
  const known = Object.keys(operators).join(', ');
  if (name === undefined || names.length > 1)
    throw definitionError(pointer, `must have exactly one member, one of ${known}`);
  const at = jsonPointerTo(pointer, name);
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (!operator) throw definitionError(at, `is not a known operator; known operators are ${known}`);
  return { operator, at, spec: (value as Record<string, unknown>)[name] };
}

interface OperatorPosition {
  readonly specs: readonly unknown[];
  readonly index: number;
  readonly context: CompilationContext;
}

function siteOf(
  { operator: { followedBy }, at }: NamedOperator,
  { specs, index, context }: OperatorPosition,
): OperatorCompileContext {
  return {
    at,
    isLast: index === specs.length - 1,
    following: followingOf(specs[index + 1], followedBy, jsonPointerTo(context.pointer, index + 1)),
    branch: (value, { pointer, index: branch, errors }) => {
      const branches = [...context.branches, branch];
      const place = { ...context, pointer: `${pointer}/operators`, branches, errors };
      const { made } = context;
      const first = made.steps.length;
      const make = compileList(value, place, made);
      const arrivals = made.steps.length > first ? stepSlot(first, 'arrived') : undefined;
      return (traces) => {
        if (traces) return passed(pointer, make(true));
        return arrivals === undefined ? make(false) : counted(arrivals, make(false));
      };
    },
  };
}

function followingOf(
  next: unknown,
  name: string | undefined,
  pointer: string,
): OperatorCompileContext['following'] {
  if (name === undefined || typeof next !== 'object' || next === null) return undefined;
  const names = Object.keys(next);
  if (names.length !== 1 || names[0] !== name) return undefined;
  return { spec: (next as Record<string, unknown>)[name], at: jsonPointerTo(pointer, name) };
}

function addEffects({ operator, spec, at }: NamedOperator, { made, chain }: CompilationContext): void {
  const effects = operator.effects?.(spec, at) ?? [];
  made.effects.push(...effects);
  chain.looksUp ||= effects.some(({ kind }) => kind === 'ask');
}

/** The context of a stateless operator, with the compiled list of operators after it (`rest`). */
interface StatelessOperatorContext {
  readonly context: CompilationContext;
  /** Index of the operator in the steps of the definition. */
  readonly step: number;
  readonly rest: OperatorFunctionFactory;
}

function compileStep(
  compiled: StatelessOperator,
  { operator: { isOutput, isMultiple }, at }: NamedOperator,
  { context: { made, chain }, step, rest }: StatelessOperatorContext,
): OperatorFunctionFactory {
  const nextOf = (traces: boolean) => {
    const next = rest(traces);
    if (traces) return isOutput ? next : passed(at, next);
    return isMultiple ? counted(stepSlot(step, 'out'), next) : next;
  };
  const make: OperatorFunctionFactory = (traces) => compiled(nextOf(traces), traces);
  const only: OperatorFunctionFactory = (traces) => compiled(end(traces), traces);
  const slot = stepSlot(step, isOutput ? 'alone' : 'arrived');
  made.entries.set(at, { make: isOutput ? only : make, chain, slot });
  return make;
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

/** The context of an operator with state. `rest` compiles the operators after it, which belong to another stage. */
interface StatefulOperatorContext {
  readonly context: CompilationContext;
  readonly step: number;
  readonly reduceStep: number | undefined;
  readonly rest: (place: CompilationContext) => OperatorFunctionFactory;
}

function compileStage(
  compiled: StatefulOperator,
  at: string,
  { context, step, reduceStep, rest }: StatefulOperatorContext,
): OperatorFunctionFactory {
  const { made } = context;
  const id = stageId(compiled.identity, context);
  made.steps[step] = { ...made.steps[step]!, key: id, countsOut: true };
  if (reduceStep !== undefined) made.steps[reduceStep] = { ...made.steps[reduceStep]!, key: `${id}/reduce` };
  const chain = { looksUp: false };
  const stage = { id, at, step, reduceStep, operator: compiled.keyed(id), chain: operatorChain(end, chain) };
  // The stage is added before its operators are compiled, so that it precedes the stages that it feeds.
  made.stages.push(stage);
  made.feeders.set(id, context.stage);
  stage.chain = operatorChain(rest({ ...context, stage: id, chain }), chain);
  const forward = forwardStep(id, at, compiled);
  made.entries.set(at, { make: () => forward, chain: context.chain, slot: stepSlot(step, 'arrived') });
  return () => forward;
}

function forwardStep(stage: string, at: string, { keyOf }: StatefulOperator): OperatorFunction {
  const keyed = catchOperatorError((flow) => ({ key: keyOf(flow) }), at);
  return (flow, context) => {
    const key = keyed(flow, context)?.key;
    if (key === undefined) return;
    if (key === null) context.outcomes.push({ kind: 'drop', at, reason: 'The key is null.', flow });
    else context.outcomes.push({ kind: 'forward', at, stage, key, flow });
  };
}
