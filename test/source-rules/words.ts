import { basename } from 'node:path/posix';
import ts from 'typescript';
import type { Findings } from './findings.js';
import type { Source } from './sources.js';

export interface WordRule {
  /** The field's term. */
  say: string;
  /** The most uses that identifiers may contain. */
  most: number;
  /** Phrases with the word that do not count, such as names of other libraries. */
  except?: string[];
}

/** The rules by word, or by phrase such as `page span`. A word includes its plural. */
export type WordRules = Record<string, WordRule>;

/** Splits an identifier or a file name into words: `DeadLetter_id` becomes `dead letter id`. */
export function wordsOf(identifier: string): string {
  return (identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).join(' ').toLowerCase();
}

/** Returns how often each word or phrase occurs in identifiers and in names of files. */
export function countWords(sources: Source[], rules: WordRules): Map<string, number> {
  const patterns = Object.entries(rules).map(([word, { except = [] }]) => ({
    word,
    pattern: patternOf(word),
    exceptions: except.map(patternOf),
  }));
  const counts = new Map(patterns.map(({ word }) => [word, 0]));
  for (const [identifier, uses] of identifiersIn(sources)) {
    const words = wordsOf(identifier);
    for (const { word, pattern, exceptions } of patterns) {
      const counted = exceptions.reduce((text, exception) => text.replace(exception, ''), words);
      const times = counted.match(pattern)?.length ?? 0;
      if (times > 0) counts.set(word, (counts.get(word) ?? 0) + times * uses);
    }
  }
  return counts;
}

function patternOf(words: string): RegExp {
  return new RegExp(`\\b${words}(e?s)?\\b`, 'g');
}

/** Returns each identifier with its number of uses. Declarations count as uses; comments and strings do not. */
function identifiersIn(sources: Source[]): Map<string, number> {
  const uses = new Map<string, number>();
  const add = (name: string) => uses.set(name, (uses.get(name) ?? 0) + 1);
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) add(node.text);
    ts.forEachChild(node, visit);
  };
  for (const { path, text } of sources) {
    add(basename(path));
    const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
    visit(ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode }));
  }
  return uses;
}

/** Compares the uses with the rules. */
export function wordFindings(counts: Map<string, number>, rules: WordRules): Findings {
  const findings: Findings = { problems: [], hints: [] };
  for (const [word, { say, most }] of Object.entries(rules)) {
    const uses = counts.get(word) ?? 0;
    const found = `uses of '${word}' in identifiers: ${uses}, allowed: ${most}`;
    if (uses > most) findings.problems.push(`${found}. Say '${say}' instead`);
    if (uses < most) findings.hints.push(`${found}. The number in words.json can be lowered`);
  }
  return findings;
}
