import { kinds } from '#cel';
import { collecting, DefinitionError, type DefinitionFault } from '../definition/definition-error.js';
import { list, Members, refusal } from '../definition/members.js';
import type { ReadableFlow } from '../flow/flow-event.js';
import { pipelineLimits } from '../flow/limits.js';
import { compileOperand } from '../flow/operand.js';
import { attempting, type Step } from '../flow/step.js';
import type { MakeStep, Operator, OperatorSpec } from './operator.js';

type BranchSpec = { operators: readonly OperatorSpec[] } & ({ when: string } | { otherwise: true });

/** The most levels of branches inside branches. */
const mostLevels = 4;

/** One compiled branch. A branch without a condition takes every event. */
interface Branch {
  readonly when: ((flow: ReadableFlow) => boolean) | undefined;
  readonly operators: MakeStep;
}

/**
 * `branch`: passes an event to the first branch whose condition is true, and drops it if there is none. If a condition
 * has no value for the event, the event fails and later conditions are not evaluated.
 */
export const branch: Operator<readonly BranchSpec[]> = {
  summary: 'a list of `{when, operators}`; the last element may be `{otherwise: true, operators}`.',
  lists: (branches, at) =>
    branches.map(({ operators }, i) => ({ operators, pointer: `${at}/${i}/operators` })),
  compile(spec, { at, isLast, branch: compileOperators }) {
    const specs = list(spec, at, [1, pipelineLimits.operators]);
    if (at.split('/branch').length - 1 > mostLevels)
      throw refusal(at, `is nested more than ${mostLevels} levels deep`);
    const errors: DefinitionFault[] = [];
    const branches = specs.flatMap((value, i): Branch[] => {
      const pointer = `${at}/${i}`;
      const read = collecting(errors, () => readBranch(value, pointer));
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

function readBranch(spec: unknown, pointer: string): { when: Branch['when']; operators: unknown } {
  const members = new Members(spec, pointer, ['when', 'otherwise', 'operators']);
  if (members.has('when') === members.has('otherwise'))
    throw refusal(pointer, 'must have one of when and otherwise');
  if (members.has('otherwise') && members.any('otherwise') !== true)
    throw refusal(members.at('otherwise'), 'must be true');
  const when = members.has('when')
    ? (compileOperand(members.any('when'), members.at('when'), kinds.boolean) as Branch['when'])
    : undefined;
  return { when, operators: members.any('operators') };
}

function branchStep(branches: readonly { when: Branch['when']; step: Step }[], at: string): Step {
  const always = () => true;
  const ways = branches.map(({ when, step }) => ({ takesIt: when ? attempting(when, at) : always, step }));
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
