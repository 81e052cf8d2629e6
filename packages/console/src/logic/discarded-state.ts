import { childrenOf, kindOf, memberText } from './json-tree.js';

/** The operators that have state, and their members that do not change which state it is. */
const stateful = new Map<string, readonly string[]>([
  ['window', ['emit', 'late']],
  ['dedupe', []],
  ['expect', ['late']],
  ['join', ['with', 'as', 'late']],
]);

/** Where a list of operators is: its pointer, the operator with state before it, and the branches that lead to it. */
interface ListLocation {
  pointer: string;
  upstream: string;
  branches: readonly number[];
}

/**
 * Returns the JSON pointers of the operators of a definition whose state is deleted if another definition replaces it:
 * those that the other one does not contain unchanged, behind the same operators with state and in the same branches.
 */
export function discardedBy(before: string, after: string): string[] {
  const kept = new Set(statefulIn(after).values());
  return [...statefulIn(before)].filter(([, id]) => !kept.has(id)).map(([pointer]) => pointer);
}

/** Returns the operators with state of a definition: by JSON pointer, what decides which state an operator has. */
function statefulIn(definition: string): Map<string, string> {
  const found = new Map<string, string>();
  const operators = memberText(definition.trim(), 'operators') ?? '[]';
  addOperators(operators, { pointer: '/operators', upstream: '', branches: [] }, found);
  return found;
}

function addOperators(list: string, location: ListLocation, found: Map<string, string>): void {
  if (kindOf(list) !== 'array') return;
  const { branches } = location;
  let { upstream } = location;
  const operators = [...childrenOf(list)].map(({ text }) => text);
  for (const [index, text] of operators.entries()) {
    const [member] = kindOf(text) === 'object' ? childrenOf(text) : [];
    if (!member) continue;
    const pointer = `${location.pointer}/${index}/${member.name}`;
    const free = stateful.get(member.name);
    if (free) {
      const following = member.name === 'window' ? (operators[index + 1] ?? '') : '';
      const settings = comparable(member.text, free);
      upstream = JSON.stringify([member.name, settings, comparable(following), upstream, branches]);
      found.set(pointer, upstream);
    } else if (member.name === 'branch' && kindOf(member.text) === 'array') {
      for (const [i, branch] of [...childrenOf(member.text)].entries())
        addOperators(
          memberText(branch.text, 'operators') ?? '[]',
          { pointer: `${pointer}/${i}/operators`, upstream, branches: [...branches, i] },
          found,
        );
    }
  }
}

/** Returns a text that is equal for two JSON texts that differ only in spaces and in the order of members. */
function comparable(text: string, without: readonly string[] = []): string {
  const kind = kindOf(text);
  if (kind !== 'object' && kind !== 'array') return text;
  const children = [...childrenOf(text)].filter(({ name }) => !without.includes(name));
  const texts = children.map((child) => `${JSON.stringify(child.name)}:${comparable(child.text)}`);
  return `${kind}(${(kind === 'object' ? texts.sort() : texts).join()})`;
}
