import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chart, helmArgs, tool } from './chart.js';

const documents = ['README.md', 'docs/deployment.md', `${chart}/README.md`];
const read = (document: string) => readFileSync(document, 'utf8');

/** Values that a document sets on the command line of `helm install`. */
const installs = documents.flatMap((document) =>
  [...read(document).matchAll(/^helm install [\s\S]*?^```$/gm)].map(
    ([command]) =>
      [document, [...command.matchAll(/--set (\S+)/g)].flatMap(([, set = '']) => ['--set', set])] as const,
  ),
);

it.each(installs)('%s installs with values that the chart accepts', async (_document, sets) => {
  expect(sets).not.toEqual([]);
  const { code, text } = await tool('helm', helmArgs('template', sets));
  expect(code, text).toBe(0);
});

it('the chart accepts the values for production in docs/deployment.md', async () => {
  const [, values = ''] = /^# values\.yaml\n([\s\S]*?)^```$/m.exec(read('docs/deployment.md')) ?? [];
  const { code, text } = await tool('helm', helmArgs('template', ['--values', '-']), values);
  expect(code, text).toBe(0);
  expect(text).toContain('kind: Ingress');
});
