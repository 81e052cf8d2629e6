import type { Browser, ElementHandle } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { until, type TestSystem } from '#testkit';
import { templateNames, templateOf } from '../../packages/console/src/logic/definition-templates.js';
import { ConsolePage } from './console-page.js';
import { planted } from './planted.js';

const valid = 'The gateway finds no error in it.';

/** The editor of the console: projections and pipelines are created, changed and deleted, as a user does it. */
export function describeEditor(system: () => TestSystem, browser: () => Browser): void {
  const opened = async (path: string): Promise<ConsolePage> => {
    const tab = await ConsolePage.open(browser(), system().urls.core);
    await tab.visit(path);
    return tab;
  };
  const read = async (path: string) => system().core.get(`/api/v1/${path}`);

  describe('the editor of definitions', () => {
    it.each(templateNames('pipelines'))('begins with the valid pipeline %s', async (template) => {
      const definition = templateOf('pipelines', template, planted.stream);
      const events = [{ stream: planted.stream, event_type: 'order.placed', entity_id: 'o', data: {} }];
      const answer = await system().core.post('/api/v1/pipelines/dry-run', { definition, events });
      expect(answer.text).not.toContain('"errors"');
      // The secret of a webhook is a setting of the user.
      expect(answer.status, answer.text).toBe(200);
    });

    it.each(templateNames('projections'))('begins with the valid projection %s', async (template) => {
      const name = `template-${templateNames('projections').indexOf(template)}`;
      const definition = { name, ...templateOf('projections', template, planted.stream) };
      const answer = await system().core.post('/api/v1/projections', definition);
      expect(answer.status, answer.text).toBe(201);
      await system().core.send('DELETE', `/api/v1/projections/${name}`);
    });

    it('creates a pipeline, marks an error of an expression at its character, and completes names', async () => {
      const tab = await opened('/pipelines');
      await tab.click('New pipeline');
      await tab.shows(valid);
      const source = { streams: [planted.stream] };
      const broken = { name: 'typed', source, operators: [{ filter: 'event.data.amount >> 1' }] };
      await type(tab, JSON.stringify(broken));
      await tab.shows('/operators/0/filter');
      const marked = await inEditor(tab, '.cm-lintRange-error');
      expect(await marked.evaluate(textOf)).toMatch(/^> 1/);
      const started = `{"name": "typed", "source": {"streams": ["${planted.stream}"]}, "operators": [{"`;
      await type(tab, started);
      await tab.page.keyboard.type('em');
      const option = await inEditor(tab, '.cm-completionLabel');
      expect(await option.evaluate(textOf)).toBe('emit');
      const text = `{"name": "typed", "source": {"streams": ["${planted.stream}"]},
        "operators": [{"filter": "event.data.amount > 1.0"}, {"emit": {"stream": "typed-out"}}]}`;
      await type(tab, text);
      await tab.shows(valid);
      await tab.click('Run');
      await tab.page.waitForSelector('[aria-label=Traces] .steps');
      await tab.click('Create');
      await tab.page.waitForFunction('location.pathname.endsWith("/pipelines/typed")');
      expect((await read('pipelines/typed')).json()).toMatchObject({ version: 1 });
      await tab.close();
    });

    it('saves a new version after it has shown the difference and what saving does', async () => {
      const tab = await opened('/pipelines/typed');
      await readSlowly(tab, '/pipelines/typed');
      await tab.click('Edit');
      await tab.shows(valid);
      const window = { tumbling: '1m', key: 'event.event_type', lateness: '0s' };
      const operators = [{ window }, { reduce: { n: { op: 'count' } } }, { emit: { stream: 'typed-out' } }];
      const source = { streams: [planted.stream] };
      await type(tab, JSON.stringify({ source, operators }));
      await tab.shows(valid);
      await save(tab, '/operators/0/window');
      expect((await read('pipelines/typed')).json()).toMatchObject({ version: 2, operators });
      await tab.click('Edit');
      await tab.shows(valid);
      await type(tab, JSON.stringify({ source, operators: [{ emit: { stream: 'typed-out' } }] }));
      await tab.shows(valid);
      await save(tab, 'These begin again');
      expect((await read('pipelines/typed')).json()).toMatchObject({ version: 3 });
      await tab.close();
    });

    it('deletes a pipeline after its name has been typed', async () => {
      const tab = await opened('/pipelines/typed');
      await tab.click('Delete');
      await tab.page.type('dialog[open] input', 'typed');
      await tab.page.click('dialog[open] [type=submit]');
      await tab.shows('Operators between streams.');
      expect((await read('pipelines/typed')).status).toBe(404);
      await tab.close();
    });

    it('creates a projection, and marks the member that the gateway rejects', async () => {
      const tab = await opened('/projections?new=true');
      const source = { streams: [planted.stream] };
      const definition = { name: 'typed-states', source, fields: { n: { op: 'sum' } } };
      await inEditor(tab, '.cm-content');
      await type(tab, JSON.stringify(definition));
      await tab.click('Create');
      await inEditor(tab, '.cm-lintRange-error');
      await type(tab, JSON.stringify({ ...definition, fields: { n: { op: 'count' } } }));
      await tab.click('Create');
      await tab.page.waitForFunction('location.pathname.endsWith("/projections/typed-states")');
      expect((await read('projections/typed-states')).json()).toMatchObject({ version: 1 });
      await tab.close();
    });

    it('creates a stream, writes an event that its schema permits, and changes the retention', async () => {
      const stream = 'typed-events';
      const schema = { type: 'object', required: ['amount'] };
      await system().core.post('/api/v1/schemas', { stream, event_type: 'order.placed', schema });
      const tab = await opened('/streams');
      await tab.click('New stream');
      await tab.page.type('dialog[open] input', stream);
      await tab.page.type('dialog[open] [type=number]', '3');
      await tab.page.click('dialog[open] [type=submit]');
      await tab.page.waitForFunction(`location.pathname.endsWith("/streams/${stream}")`);
      await tab.page.locator('xpath///summary[.="Write an event"]').click();
      await inEditor(tab, '.cm-content');
      await tab.page.type('[list=types-to-write]', 'order.placed');
      await tab.shows('It does not match version 1 of the schema.');
      await type(tab, '{"amount": 12345678901234567890.10}');
      await tab.shows('It matches version 1 of the schema.');
      await tab.click('Write');
      await tab.shows('at offset 0');
      await tab.shows('12345678901234567890.10');
      await tab.click('Retention');
      await tab.page.type('dialog[open] input', '7d');
      await tab.page.click('dialog[open] [type=submit]');
      await tab.page.waitForFunction('!document.querySelector("dialog[open]")');
      expect((await read(`streams/${stream}`)).json()).toMatchObject({
        partitions: 3,
        retention: { time: '7d' },
      });
      await tab.close();
    });

    it('is not offered to a key that may not change definitions', async () => {
      const scopes = ['events:read', 'definitions:read'];
      const issued = await system().core.post('/api/v1/keys', { name: 'reader', scopes });
      const { key } = issued.json<{ key: string }>();
      const tab = await ConsolePage.open(browser(), system().urls.query);
      await tab.visit('/pipelines');
      await tab.enter(key);
      for (const path of ['/pipelines', `/pipelines/${planted.pipeline}`, '/projections']) {
        // The console asks whether the key may change definitions.
        await tab.answered('/pipelines/dry-run', () => tab.visit(path));
        await tab.shows(path.includes('projections') ? planted.projection : planted.pipeline);
        const buttons = await tab.page.$$eval('button', (all) =>
          all.map((one) => (one as Labelled).textContent),
        );
        for (const label of ['New pipeline', 'New projection', 'Edit', 'Pause', 'Delete'])
          expect(buttons, path).not.toContain(label);
      }
      await tab.close();
    });
  });
}

interface Labelled {
  textContent: string | null;
}

const textOf = (element: object) => (element as Labelled).textContent ?? '';

/** Waits for an element in the editor. A wait of the browser does not see changes in a shadow tree. */
async function inEditor({ page }: ConsolePage, selector: string): Promise<ElementHandle> {
  let found: ElementHandle | null = null;
  const isThere = async () => (found = await page.$(`.code-editor >>> ${selector}`)) !== null;
  await until(isThere, { what: `the editor has ${selector}` });
  return found!;
}

/** Holds back each read of a path, as a slow network does. */
async function readSlowly({ page }: ConsolePage, path: string): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const isSlow = request.method() === 'GET' && request.url().endsWith(path);
    // The page may have ended the request meanwhile.
    setTimeout(() => void request.continue().catch(() => undefined), isSlow ? 1_000 : 0);
  });
}

/** Replaces the text of the editor. */
export async function type(tab: ConsolePage, text: string): Promise<void> {
  const editor = await inEditor(tab, '.cm-content');
  await editor.click();
  await tab.page.keyboard.down('Control');
  await tab.page.keyboard.press('a');
  await tab.page.keyboard.up('Control');
  await tab.page.keyboard.sendCharacter(text);
}

/** Saves what is typed; the dialog must show a text. */
async function save(tab: ConsolePage, shown: string): Promise<void> {
  await tab.click('Save');
  await tab.page.waitForSelector('dialog[open] [aria-label=Differences]');
  const text = await tab.page.$eval('dialog[open]', textOf);
  expect(text).toContain(shown);
  await tab.page.click('dialog[open] [type=submit]');
  await tab.page.waitForFunction('!location.search.includes("edit")');
}
