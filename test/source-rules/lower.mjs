/** `npm run lower:source-rules`: lowers the budgets and the counts to what the sources need, and removes solved folder pairs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

const compiled = new URL('../../dist/test/source-rules/', import.meta.url);
const load = (name) => import(new URL(`${name}.js`, compiled).href);
const { productionSources, readRules } = await load('sources');
const { folderPairs, importAliases } = await load('folder-pairs');
const { countLines, loweredBudget } = await load('line-budgets');
const { countWords } = await load('words');

async function write(name, value) {
  const filepath = join('test', 'source-rules', name);
  writeFileSync(
    filepath,
    await format(JSON.stringify(value), { ...(await resolveConfig(filepath)), filepath }),
  );
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));

const sources = productionSources();

const names = new Set(folderPairs(sources, importAliases()).map(({ name }) => name));
await write(
  'folder-pairs.json',
  readRules('folder-pairs.json').filter((name) => names.has(name)),
);

const budgets = readRules('line-budgets.json');
const { lines } = countLines(sources, budgets);
await write(
  'line-budgets.json',
  mapValues(budgets, (folder, budget) => Math.min(budget, loweredBudget(lines.get(folder)))),
);

const rules = readRules('words.json');
const counts = countWords(sources, rules);
await write(
  'words.json',
  mapValues(rules, (word, rule) => ({ ...rule, most: Math.min(rule.most, counts.get(word)) })),
);
