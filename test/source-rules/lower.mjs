/**
 * `npm run lower:source-rules [-- --dry-run]`: prints which budgets and counts can be lowered, lowers them to what the sources
 * need, and removes the folder pairs that are solved. Reads the compiled rules.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

const compiled = new URL('../../dist/test/source-rules/', import.meta.url);
const load = (name) => import(new URL(`${name}.js`, compiled).href);
const { productionSources, readRules } = await load('sources');
const { folderPairs, importAliases } = await load('folder-pairs');
const { budgetFindings, countLines, nextBudget } = await load('line-budgets');
const { countWords, wordFindings } = await load('words');

const dryRun = process.argv.includes('--dry-run');
const sources = productionSources();

async function write(name, rules) {
  const filepath = join('test', 'source-rules', name);
  const options = { ...(await resolveConfig(filepath)), filepath };
  if (!dryRun) writeFileSync(filepath, await format(JSON.stringify(rules), options));
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));

const budgets = readRules('line-budgets.json');
const rules = readRules('words.json');
const counts = countWords(sources, rules);
for (const hint of [...budgetFindings(sources, budgets).hints, ...wordFindings(counts, rules).hints])
  console.log(hint);

const { lines } = countLines(sources, budgets);
const lowerBudget = (folder, budget) => Math.min(budget, nextBudget(lines.get(folder)));
await write('line-budgets.json', mapValues(budgets, lowerBudget));

const lowerRule = (word, rule) => ({ ...rule, most: Math.min(rule.most, counts.get(word)) });
await write('words.json', mapValues(rules, lowerRule));

const names = new Set(folderPairs(sources, importAliases()).map(({ name }) => name));
const unsolved = readRules('folder-pairs.json').filter((name) => names.has(name));
await write('folder-pairs.json', unsolved);
