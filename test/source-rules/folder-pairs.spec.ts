import { describe, expect, it } from 'vitest';
import { folderPairs, importAliases, pairProblems } from './folder-pairs.js';
import { productionSources, readRules } from './sources.js';

const source = (path: string, ...specifiers: string[]) => ({
  path,
  text: specifiers.map((specifier) => `import type { A } from '${specifier}';`).join('\n'),
});

const namesOf = (...sources: ReturnType<typeof source>[]) =>
  folderPairs(sources, new Map([['#b', 'libs/b/src/index.ts']])).map(({ name }) => name);

describe('the folders of the production sources', () => {
  it('import each other only where folder-pairs.json lists them', () => {
    const pairs = folderPairs(productionSources(), importAliases());
    expect(pairProblems(pairs, readRules('folder-pairs.json'))).toEqual([]);
  });
});

describe('folderPairs', () => {
  it('finds a folder and its subfolder that import each other', () => {
    expect(
      namesOf(source('libs/a/src/x.ts', './sql/y.js'), source('libs/a/src/sql/y.ts', '../z.js')),
    ).toEqual(['libs/a/src <-> libs/a/src/sql']);
  });

  it('finds folders of two packages that import each other by alias and by path', () => {
    expect(namesOf(source('libs/a/src/x.ts', '#b'), source('libs/b/src/y.ts', '../../a/src/x.js'))).toEqual([
      'libs/a/src <-> libs/b/src',
    ]);
  });

  it('finds imports of every form', () => {
    const forms = [
      "import '../b/y.js';",
      "export * from '../b/y.js';",
      "const y = await import('../b/y.js');",
      "type Y = import('../b/y.js').Y;",
    ];
    const back = source('libs/b/y.ts', '../a/x.js');
    for (const text of forms)
      expect(namesOf({ path: 'libs/a/x.ts', text }, back), text).toEqual(['libs/a <-> libs/b']);
  });

  it('accepts imports in one direction, and files of one folder that import each other', () => {
    expect(
      namesOf(
        source('libs/a/src/x.ts', './sql/y.js', './w.js', 'yaml'),
        source('libs/a/src/w.ts', './x.js'),
        source('libs/a/src/sql/y.ts', 'node:path'),
      ),
    ).toEqual([]);
  });

  it("ignores what the library's index imports, and imports of fixtures", () => {
    expect(
      namesOf(
        source('libs/a/src/index.ts', './sql/y.js'),
        source('libs/a/src/x.ts', './sql/y.fixture.js'),
        source('libs/a/src/sql/y.ts', '../x.js'),
      ),
    ).toEqual([]);
  });

  it('rejects an alias that package.json does not define', () => {
    expect(() => namesOf(source('libs/a/src/x.ts', '#c'))).toThrow('libs/a/src/x.ts: unknown #c');
  });
});

describe('pairProblems', () => {
  const pair = {
    name: 'a <-> b',
    imports: ["a/x.ts imports '../b/y.js'", "b/y.ts imports '../a/x.js'"] as [string, string],
  };

  it('reports a pair that the list does not contain, with an import in each direction', () => {
    expect(pairProblems([pair], [])).toEqual([
      "a <-> b import each other: a/x.ts imports '../b/y.js', and b/y.ts imports '../a/x.js'",
    ]);
  });

  it('reports an entry of the list that is no longer a pair', () => {
    expect(pairProblems([pair], ['a <-> b', 'c <-> d'])).toEqual([
      'c <-> d no longer import each other: remove it from folder-pairs.json',
    ]);
  });
});
