import type { Browser } from 'puppeteer-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { until, type TestSystem } from '#testkit';
import { ConsolePage } from './console-page.js';
import { planted } from './planted.js';

const everyList = [
  'streams',
  'projections',
  'pipelines',
  'subscriptions',
  'schemas',
  'dead-letters',
  'keys',
  'audit',
] as const;

/** Makes the timers of the refresh of a list ring sooner. */
const soonerRefresh = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 15_000 ? 100 : ms, ...rest);
}`;

/** The lists of the console: search, order, folding, refresh, replay, and what a limited key sees. */
export function describeLists(system: () => TestSystem, browser: () => Browser): void {
  const opened = async (path: string, { isFast = false } = {}): Promise<ConsolePage> => {
    const tab = await ConsolePage.open(browser(), system().urls.core);
    if (isFast) await tab.page.evaluateOnNewDocument(soonerRefresh);
    await tab.visit(path);
    return tab;
  };
  const post = async (path: string, body: object) => {
    const answer = await system().core.post(`/api/v1/${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  };

  describe('lists', () => {
    beforeAll(async () => {
      const names = Array.from({ length: 20 }, (_, i) => `shop.list-${i}`);
      await Promise.all(names.map((stream) => post('streams', { stream })));
      const events = names.flatMap((stream) =>
        ['a', 'b'].map((id) => ({ stream, event_type: 'x', data: { id } })),
      );
      expect((await system().write.post('/api/v1/events/batch', { events })).status).toBe(201);
    });

    it('are searched and sorted, and the URL has both', async () => {
      const tab = await opened('/streams');
      await tab.shows(planted.stream);
      await tab.page.keyboard.press('/');
      await tab.page.keyboard.type('list-1');
      await tab.shows('11 of');
      expect(new URL(tab.page.url()).searchParams.get('find')).toBe('list-1');
      // The heading has the name of its button, and is wider.
      await tab.page.locator('::-p-aria([name="Stream"][role="button"])').click();
      await tab.page.waitForSelector('th[aria-sort=ascending]');
      await tab.page.click('th[aria-sort=ascending] button');
      await tab.page.waitForSelector('th[aria-sort=descending]');
      const names = () => tab.page.evaluate(rowNames) as Promise<string[]>;
      expect((await names())[0]).toBe('shop.list-19');
      await tab.page.reload();
      await tab.shows('11 of');
      expect((await names()).at(-1)).toBe('shop.list-1');
      await tab.close();
    });

    it('say that only the loaded rows are sorted, load more, and keep these when they refresh', async () => {
      const tab = await opened('/keys', { isFast: true });
      await tab.page.setRequestInterception(true);
      // Pages of 5 rows.
      tab.page.on('request', (request) => {
        void request.continue({ url: request.url().replace('limit=500', 'limit=5') });
      });
      await tab.visit('/streams?sort=Events');
      await tab.shows('more than the 5 rows that are loaded');
      await tab.click('Load more');
      await tab.shows('more than the 10 rows that are loaded');
      const isSecondPage = (request: { url: () => string }) => request.url().includes('cursor=');
      for (let i = 0; i < 2; i++)
        await tab.page.waitForResponse((response) => isSecondPage(response.request()));
      await tab.shows('more than the 10 rows that are loaded');
      expect(await tab.page.$$('tbody tr')).toHaveLength(10);
      await tab.close();
    });

    it('fold names with a common prefix, with their number and sums, and open by keyboard', async () => {
      const isStored = async () => {
        const { streams } = (await system().core.get('/api/v1/streams?limit=500')).json<{
          streams: { stream: string; events: number }[];
        }>();
        return (
          streams.filter(({ stream, events }) => stream.startsWith('shop.') && events === 2).length === 20
        );
      };
      await until(isStored, { what: 'the events are stored' });
      const tab = await opened('/streams');
      await tab.shows('20 rows');
      expect(await tab.text()).not.toContain('shop.list-1');
      const sum = await tab.page.$eval('tr.group td', textOf);
      expect(sum).toBe('40');
      await tab.visit('/streams?sort=-Events');
      // The sum of the group, 40, is more than the 4 events of this stream, and each of its streams has fewer.
      const shown = (await tab.page.evaluate(rowNames)) as string[];
      expect(shown.indexOf('shop. 20 rows')).toBeLessThan(shown.indexOf(planted.hostile));
      await tab.tabTo('tr.group button', 'shop.');
      await tab.page.keyboard.press('Enter');
      await tab.shows('shop.list-19');
      await tab.page.keyboard.press('Enter');
      await tab.page.waitForFunction('!document.body.innerText.includes("shop.list-19")');
      await tab.close();
    });

    it('refresh by themselves, keep what is open and typed, and pause while the page is hidden', async () => {
      const tab = await opened('/dead-letters', { isFast: true });
      await tab.shows('refused_at_intake');
      await tab.page.click('tbody .expand');
      await tab.page.click('tbody input');
      await tab.page.type('input[placeholder^="Source"]', 'half typed');
      const asOf = () => tab.page.$eval('.as-of', textOf);
      const before = await asOf();
      expect(before).toMatch(/^As of \d\d:\d\d:\d\d UTC$/);
      await tab.page.waitForFunction(
        `document.querySelector('.as-of').textContent !== ${JSON.stringify(before)}`,
      );
      await tab.shows('Partition and offset');
      await tab.shows('1 selected');
      expect(await tab.page.$eval('input[placeholder^="Source"]', valueOf)).toBe('half typed');
      const hide = (hidden: boolean) =>
        tab.page.evaluate(`{
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
          document.dispatchEvent(new Event('visibilitychange'));
        }`);
      await hide(true);
      await tab.page.waitForNetworkIdle({ idleTime: 500 });
      const shown = tab.page.waitForRequest((request) => request.url().includes('/dead-letters?'));
      await hide(false);
      await shown;
      await tab.close();
    });

    it('show at 390 px that the table has more columns, and scroll to them', async () => {
      const tab = await opened('/streams');
      await tab.page.setViewport({ width: 390, height: 800 });
      for (const name of everyList) {
        await tab.visit(`/${name}`);
        await tab.page.waitForSelector('.table-frame[data-hidden=right] .sideways');
        // A column that is filled later makes the table wider.
        await tab.page.waitForFunction(
          `document.querySelector('.table').scrollTo({ left: 5_000 }), document.querySelector('.table-frame[data-hidden=left]')`,
        );
      }
      await tab.close();
    });

    it('of keys show rates and expiry, and warn of a key that expires within 7 days', async () => {
      const expires_at = new Date(Date.now() + 3 * 86_400_000).toISOString();
      await post('keys', {
        name: 'ends soon',
        scopes: ['events:read'],
        expires_at,
        rate_limit: { events_per_second: 1_234 },
      });
      const tab = await opened('/keys');
      await tab.shows('A key expires within 7 days: ends soon');
      await tab.shows('1 234');
      await tab.page.waitForSelector(`xpath///tr[th//bdi[.='ends soon']]//*[contains(@class, 'warn')]`);
      await tab.click('Issue a key');
      const fields = await tab.page.$$('form .grid input');
      await fields[0]!.type('with limits');
      await fields[2]!.evaluate(setTo, '2099-05-06T07:08');
      await fields[4]!.type('77');
      await tab.click('Issue');
      await tab.page.waitForSelector('.secret code');
      const { keys } = (await system().core.get('/api/v1/keys')).json<{ keys: { name: string }[] }>();
      expect(keys.find(({ name }) => name === 'with limits')).toMatchObject({
        expires_at: expect.stringContaining('2099-05-06T07:08:00') as string,
        rate_limit: { requests_per_second: 77 },
      });
      await tab.close();
    });

    it('of the audit are limited by actor, action and subject', async () => {
      const tab = await opened('/audit?actor=port%3Acore&action=stream.&subject=stream%3Ashop.list-7');
      await tab.shows('stream:shop.list-7');
      expect(await tab.page.$$('tbody tr')).toHaveLength(1);
      await tab.page.select('select[name], form.inline select', '');
      await tab.page.waitForFunction('!location.search.includes("actor")');
      await tab.visit('/audit?actor=nobody');
      await tab.shows('No change matches.');
      await tab.close();
    });

    it.each([
      ['reads', { scopes: ['events:read'] }, 0],
      ['reads one stream', { scopes: ['events:read'], streams: [planted.stream] }, 0],
      ['administers', { scopes: ['events:read', 'admin'] }, 1],
    ])('offer changes to a key only if it may make them: a key that %s', async (name, rights, count) => {
      const { key } = (await post('keys', { name, ...rights })).json<{ key: string }>();
      const tab = await ConsolePage.open(browser(), system().urls.query);
      await tab.visit('/dead-letters');
      // The console asks whether the key administers.
      await tab.answered('/api/v1/keys?limit=1', () => tab.enter(key));
      await tab.shows('refused_at_intake');
      if (count > 0) await tab.page.waitForSelector('section[aria-label=Replay]');
      expect(await tab.page.$$('section[aria-label=Replay], [aria-label="Select all rows"]')).toHaveLength(
        2 * count,
      );
      await tab.visit('/keys');
      await tab.page.waitForSelector(count > 0 ? 'tbody tr' : '.problem');
      const text = await tab.text();
      for (const change of ['Issue a key', 'Revoke']) expect(text.includes(change), change).toBe(count > 0);
      await tab.close();
    });
  });
}

const rowNames = "[...document.querySelectorAll('tbody th')].map((cell) => cell.textContent)";
const textOf = (element: { textContent: string | null }) => element.textContent;
const valueOf = (element: { value?: string }) => element.value;

/** Sets the value of a field that cannot be typed the same way in each locale. */
const setTo = (element: { value?: string; dispatchEvent: (event: Event) => boolean }, value: string) => {
  element.value = value;
  element.dispatchEvent(new Event('input'));
};
