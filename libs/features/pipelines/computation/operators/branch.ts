import { kinds } from '#cel';
import {
  collectErrors,
  DefinitionError,
  type DefinitionProblem,
  readList,
  DefinitionMemberReader,
  definitionError,
} from '#dataflow';
import type { LazilyParsedEvent } from '../flow/lazily-parsed-event.js';
import { pipelineLimits } from '../flow/limits.js';
import { compileOperand } from '../flow/operand.js';
import { catchOperatorError, type OperatorFunction } from '../flow/step.js';
import type { OperatorFunctionFactory, OperatorImplementation, OperatorJson } from './operator.js';

type BranchSpec = { operators: readonly OperatorJson[] } & ({ when: string } | { otherwise: true });

/** Maximum levels of `branch` operators inside branches. */
const mostLevels = 4;

/** One compiled branch of a `branch` operator. A branch without a condition takes every event that reaches it. */
interface CompiledBranch {
  readonly when: ((flow: LazilyParsedEvent) => boolean) | undefined;
  readonly operators: OperatorFunctionFactory;
}

/**
 * `branch`: passes an event to the first branch whose condition is true, and drops it if there is none. If a condition
 * has no value, the event fails and later conditions are not evaluated.
 */
export const branch: OperatorImplementation<readonly BranchSpec[]> = {
  summary: 'a list of `{when, operators}`; the last element may be `{otherwise: true, operators}`.',
  lists: (branches, at) =>
    branches.map(({ operators }, i) => ({ operators, pointer: `${at}/${i}/operators` })),
  compile(spec, { at, isLast, branch: compileOperators }) {
    const specs = readList(spec, at, [1, pipelineLimits.operators]);
    if (at.split('/branch').length - 1 > mostLevels)
      throw definitionError(at, `is nested more than ${mostLevels} levels deep`);
    const errors: DefinitionProblem[] = [];
    const branches = specs.flatMap((value, i): CompiledBranch[] => {
      const pointer = `${at}/${i}`;
      const read = collectErrors(errors, () => readBranch(value, pointer));
      if (!read) return [];
      if (!read.when && i < specs.length - 1)
        errors.push({ pointer: `${pointer}/otherwise`, detail: 'must be the last branch' });
      return [
        { when: read.when, operators: compileOperators(read.operators, { pointer, index: i, errors }) },
      ];
    });
    if (!isLast)
      errors.push({
        pointer: at,
        detail: 'must be the last operator of its list: put later operators into its branches',
      });
    if (errors.length > 0) throw new DefinitionError(errors);
    return (_next, traces) =>
      branchStep(
        branches.map(({ when, operators }) => ({ when, step: operators(traces) })),
        at,
      );
  },
};

function readBranch(spec: unknown, pointer: string): { when: CompiledBranch['when']; operators: unknown } {
  const members = new DefinitionMemberReader(spec, pointer, ['when', 'otherwise', 'operators']);
  if (members.has('when') === members.has('otherwise'))
    throw definitionError(pointer, 'must have one of when and otherwise');
  if (members.has('otherwise') && members.any('otherwise') !== true)
    throw definitionError(members.at('otherwise'), 'must be true');
  const when = members.optional('when', (value, at) => compileOperand(value, at, kinds.boolean));
  return { when: when as CompiledBranch['when'], operators: members.any('operators') };
}

function branchStep(
  branches: readonly { when: CompiledBranch['when']; step: OperatorFunction }[],
  at: string,
): OperatorFunction {
  const always = () => true;
  const ways = branches.map(({ when, step }) => ({
    takesIt: when ? catchOperatorError(when, at) : always,
    step,
  }));
  return (flow, context) => {
    for (const { takesIt, step } of ways) {
      const takes = takesIt(flow, context);
      if (takes === undefined) return;
      if (takes) {
        step(flow, context);
        return;
      }
    }
    context.outcomes.push({ kind: 'drop', at, reason: 'No branch matches the event.', flow });
  };
}
