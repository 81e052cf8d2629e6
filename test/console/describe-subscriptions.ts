import type { Browser } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import type { TestSystem } from '#testkit';
import { templateNames, templateOf } from '../../packages/console/src/logic/definition-templates.js';
import { ConsolePage } from './console-page.js';
import { type } from './describe-editor.js';
import { parkedReason, planted } from './planted.js';

const path = `/subscriptions/${planted.subscription}`;

interface Counts {
  status: string;
  version: number;
  outstanding: number;
  retrying: number;
  parked: number;
  lag: number;
}

/** The subscriptions of the console, and what becomes of their events. The specs continue with each other's events. */
export function describeSubscriptions(system: () => TestSystem, browser: () => Browser): void {
  const opened = async (path: string): Promise<ConsolePage> => {
    const tab = await ConsolePage.open(browser(), system().urls.core);
    await tab.visit(path);
    return tab;
  };
  const read = async (name: string = planted.subscription) =>
    (await system().core.get(`/api/v1/subscriptions/${name}`)).json<Counts>();
  /** Confirms the dialog that is open. */
  const confirm = (tab: ConsolePage) => tab.page.locator('dialog[open] [type=submit]').click();
  const define = async (name: string) => {
    const body = JSON.stringify({ source: { streams: [planted.stream] } });
    const headers = { 'content-type': 'application/json' };
    const answer = await system().core.send('PUT', `/api/v1/subscriptions/${name}`, { body, headers });
    expect(answer.status, answer.text).toBe(201);
  };

  describe('subscriptions', () => {
    it.each(templateNames('subscriptions'))('begin with the valid definition %s', async (template) => {
      const url = `/api/v1/subscriptions/template-${templateNames('subscriptions').indexOf(template)}`;
      const body = JSON.stringify(templateOf('subscriptions', template, planted.stream));
      const headers = { 'content-type': 'application/json' };
      const answer = await system().core.send('PUT', url, { body, headers });
      expect(answer.status, answer.text).toBe(201);
      await system().core.send('DELETE', url);
    });

    it('are listed with what they have handed out', async () => {
      const { outstanding, retrying, parked } = await read();
      expect([outstanding, retrying, parked]).toEqual([10, 2, 3]);
      const tab = await opened('/subscriptions');
      const row = `//tr[th//bdi[.='${planted.subscription}']]`;
      await tab.page.waitForSelector(`xpath/${row}[contains(., 'running')]`);
      const cells = await tab.page.$$eval(`xpath/${row}/td`, textsOf);
      expect(cells.slice(0, 5)).toEqual(['running', planted.stream, 'entity', '10', '2']);
      await tab.click(planted.subscription);
      await tab.shows('Parked events');
      await tab.close();
    });

    it('show a parked event with its reason and its data', async () => {
      const tab = await opened(path);
      await tab.shows(parkedReason.slice(0, 50));
      await tab.page.locator('[aria-label="Parked events"] tbody .expand').click();
      await tab.shows(parkedReason);
      await tab.shows('currency');
      await tab.close();
    });

    it('replay and discard the selected parked events, or all, after a confirmation', async () => {
      const tab = await opened(path);
      await tab.page.locator('[aria-label="Parked events"] tbody input').click();
      await tab.click('Replay 1 selected');
      await tab.page.waitForSelector('dialog[open]');
      expect((await read()).parked).toBe(3);
      await confirm(tab);
      await tab.shows('1 event was replayed.');
      await tab.page.waitForFunction(rowsOfParked(2));
      expect((await read()).parked).toBe(2);
      await tab.page.locator('[aria-label="Parked events"] tbody input').click();
      await tab.click('Discard 1 selected');
      await confirm(tab);
      await tab.shows('1 event was discarded.');
      await tab.page.waitForFunction(rowsOfParked(1));
      await tab.click('Discard all');
      await tab.page.locator('dialog[open] input').fill(planted.subscription);
      await confirm(tab);
      await tab.shows('No event is parked.');
      expect(await read()).toMatchObject({ parked: 0, outstanding: 10 });
      await tab.close();
    });

    it('are paused and resumed', async () => {
      const tab = await opened(path);
      await tab.click('Pause');
      await confirm(tab);
      await tab.page.waitForSelector('.status.warn');
      expect((await read()).status).toBe('paused');
      await tab.click('Resume');
      await confirm(tab);
      await tab.page.waitForSelector('.status.good');
      expect((await read()).status).toBe('running');
      await tab.close();
    });

    it('are moved after the page has said what they forget', async () => {
      const tab = await opened(path);
      await tab.click('Seek');
      await tab.page.waitForSelector('dialog[open]');
      await tab.shows('10 outstanding');
      await tab.page.select('dialog[open] select', 'time');
      const field = 'dialog[open] input';
      await tab.page.locator(field).fill('tomorrow');
      await confirm(tab);
      await tab.page.waitForSelector('dialog[open] .problem');
      expect((await read()).outstanding).toBe(10);
      await tab.page.select('dialog[open] select', 'beginning');
      await tab.shows('also those that were acknowledged');
      await confirm(tab);
      await tab.page.waitForFunction('!document.querySelector("dialog[open]")');
      expect(await read()).toMatchObject({ outstanding: 0, retrying: 0 });
      await tab.close();
    });

    it('are created, changed and deleted', async () => {
      const tab = await opened('/subscriptions?new=true');
      const typed = (definition: object) => type(tab, JSON.stringify(definition));
      await typed({ source: { streams: [planted.stream] } });
      await tab.click('Create');
      await tab.shows('The definition needs a `name`.');
      const definition = { name: 'typed', source: { streams: [planted.stream] }, order: 'none' };
      await typed(definition);
      await tab.click('Create');
      await tab.page.waitForFunction('location.pathname.endsWith("/subscriptions/typed")');
      await tab.click('Edit');
      await typed({ ...definition, from: 'now', ack_within: '5m' });
      await tab.click('Save');
      await tab.shows('The subscription continues at its position.');
      await confirm(tab);
      await tab.page.waitForFunction('!location.search.includes("edit")');
      expect(await read('typed')).toMatchObject({ version: 2, ack_within: '5m' });
      await tab.click('Delete');
      await tab.page.locator('dialog[open] input').fill('typed');
      await confirm(tab);
      await tab.page.waitForFunction('location.pathname.endsWith("/subscriptions")');
      const answer = await system().core.get('/api/v1/subscriptions/typed');
      expect(answer.status).toBe(404);
      await tab.close();
    });

    it('offer no change to a key that may only read', async () => {
      await define('read_only');
      const keys = { name: 'reads subscriptions', scopes: ['events:read'] };
      const { key } = (await system().core.post('/api/v1/keys', keys)).json<{ key: string }>();
      const tab = await ConsolePage.open(browser(), system().urls.query);
      await tab.visit('/subscriptions/read_only');
      // The console asks whether the key changes definitions.
      await tab.answered('/pipelines/dry-run', () => tab.enter(key));
      await tab.shows('No event is parked.');
      const text = await tab.text();
      for (const change of ['Pause', 'Seek', 'Delete', 'Edit', 'Replay']) expect(text).not.toContain(change);
      await tab.close();
    });

    it('are on the map, beside the streams that they read', async () => {
      const tab = await opened('/map');
      const edge = `//tr[contains(., '${planted.stream}') and contains(., 'read by subscription')]`;
      await tab.page.waitForSelector(`xpath/${edge}`);
      await tab.close();
    });
  });
}

const textsOf = (all: { textContent: string | null }[]) => all.map((one) => one.textContent);

function rowsOfParked(count: number): string {
  return `document.querySelectorAll('[aria-label="Parked events"] tbody tr').length === ${count}`;
}
