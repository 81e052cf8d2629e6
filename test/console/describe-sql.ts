import type { Browser } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { until, type TestSystem } from '#testkit';
import { ConsolePage } from './console-page.js';
import { planted } from './planted.js';

const field = 'main textarea';

/** SQL: completion, stored statements, charts, errors and downloads; and the map. */
export function describeSql(system: () => TestSystem, browser: () => Browser): void {
  const opened = async (path: string, key = system().key): Promise<ConsolePage> => {
    const tab = await ConsolePage.open(browser(), system().urls.query);
    await tab.page.setViewport({ width: 1200, height: 900 });
    await tab.visit(path);
    await tab.enter(key);
    await tab.page.waitForSelector('main h1');
    await tab.settled();
    return tab;
  };
  const pressWithControl = async ({ page }: ConsolePage, key: 'Enter') => {
    await page.keyboard.down('Control');
    await page.keyboard.press(key);
    await page.keyboard.up('Control');
  };
  const pathOf = (statement: string) => `/sql?q=${encodeURIComponent(statement)}`;
  const value = ({ page }: ConsolePage) =>
    page.evaluate(`document.querySelector('${field}').value`) as Promise<string>;

  describe('SQL', () => {
    it('completes a name by keyboard, runs, stores the statement for the key, and forgets it with the key', async () => {
      const tab = await opened(pathOf('SELECT event_type, count() AS n FROM events GROUP BY '));
      await tab.click('Columns of payments__payment_made');
      await tab.shows('Float64');
      await tab.page.focus(field);
      await tab.page.keyboard.down('Control');
      await tab.page.keyboard.press('End');
      await tab.page.keyboard.up('Control');
      await tab.page.keyboard.type('event_t');
      await tab.page.waitForSelector('[role=listbox]');
      await tab.page.keyboard.press('ArrowDown');
      await tab.page.waitForSelector('[role=option][aria-selected=true]');
      await tab.page.keyboard.press('Enter');
      const completed = 'SELECT event_type, count() AS n FROM events GROUP BY event_type';
      await until(async () => (await value(tab)) === completed, { what: 'the name is completed' });
      await tab.page.keyboard.type(" HAVING event_type LIKE 'payment.%'");
      await pressWithControl(tab, 'Enter');
      await tab.shows('payment.refused');
      expect(await tab.page.$$('.ranking li')).not.toEqual([]);
      await tab.page.type('input[placeholder=Name]', 'Payments');
      await tab.click('Save');
      await tab.page.reload();
      await tab.shows('Saved (1)');
      await tab.shows('History (1)');
      const stored = await tab.page.evaluate('JSON.stringify(localStorage)');
      expect(stored).toContain('HAVING');
      expect(stored).not.toContain(system().key);
      await tab.click('Forget key');
      await tab.page.waitForSelector('input[name=key]');
      expect(await tab.page.evaluate('JSON.stringify(localStorage)')).not.toContain('HAVING');
      await tab.close();
    });

    it('points at an unknown name, and selects it', async () => {
      const tab = await opened(pathOf('SELECT 1\nFROM nothere'));
      await tab.click('Run');
      await tab.shows('Line 2, character 6');
      await tab.click('Select it in the statement');
      const selected = `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.querySelector('${field}'))`;
      const isSelected = async () => (await tab.page.evaluate(selected)) === 'nothere';
      await until(isSelected, { what: 'the name is selected' });
      await tab.close();
    });

    it('downloads all rows, also those that are not shown', async () => {
      const tab = await opened(pathOf('SELECT number AS n FROM system.one ARRAY JOIN range(1500) AS number'));
      await tab.click('Run');
      await tab.shows('1 000 rows');
      const lines = (await tab.downloaded(() => tab.click('Download'))).trim().split('\n');
      expect([lines.length, lines[0], lines.at(-1)]).toEqual([1_501, '"n"', '1499']);
      await tab.close();
    });

    it('cancels a running statement with Escape', async () => {
      const tab = await opened(pathOf('SELECT 1'));
      await tab.page.setRequestInterception(true);
      // The statement is never answered.
      tab.page.on('request', (request) => {
        if (request.method() !== 'POST') void request.continue();
      });
      await tab.page.focus(field);
      await pressWithControl(tab, 'Enter');
      await tab.shows('Running…');
      await tab.page.keyboard.press('Escape');
      await tab.shows('The statement was cancelled.');
      await tab.close();
    });
  });

  describe('the map', () => {
    it('leads by keyboard from a stream to its pipeline, and has a table of the same connections', async () => {
      const tab = await opened(`/map?prefix=${planted.stream}`);
      await tab.shows('read by');
      const nodes = (await tab.page.evaluate(
        "[...document.querySelectorAll('.map-node')].map((one) => one.title)",
      )) as string[];
      expect(nodes[0]).toBe(planted.stream);
      expect(nodes).toEqual(expect.arrayContaining([planted.pipeline, planted.projection, 'large-payments']));
      expect(await tab.page.$$('.map-area path.edge')).toHaveLength(
        (await tab.page.$$('[aria-label=Connections] tbody tr')).length,
      );
      await tab.tabTo('.map-node.pipeline', planted.pipeline);
      await tab.page.keyboard.press('Enter');
      await tab.shows('Why is nothing coming out?');
      await tab.close();
    });

    it('shows a limited key only what its lists have', async () => {
      const answer = await system().core.post('/api/v1/keys', {
        ...{ name: 'map of one', scopes: ['events:read', 'definitions:read'], streams: ['other'] },
      });
      const tab = await opened('/map', answer.json<{ key: string }>().key);
      await tab.shows('There are no pipelines, projections or subscriptions yet.');
      expect(await tab.text()).not.toContain(planted.pipeline);
      await tab.close();
    });
  });
}
