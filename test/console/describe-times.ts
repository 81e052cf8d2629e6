import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { afterEach, describe, expect, it } from 'vitest';
import { until, type TestSystem } from '#testkit';
import { ConsolePage } from './console-page.js';
import { planted } from './planted.js';

/** What the range of time, the refresh and the charts of a view do. */
export function describeTimes(system: () => TestSystem, browser: () => Browser): void {
  describe('the time of a view', () => describeViews(system, browser));
}

function describeViews(system: () => TestSystem, browser: () => Browser): void {
  let tab: ConsolePage;
  afterEach(() => tab.close());

  async function open(path: string): Promise<void> {
    tab = await ConsolePage.open(browser(), system().urls.query);
    await tab.page.setViewport({ width: 1280, height: 1200 });
    await tab.page.goto(`${system().urls.query}/console${path}`);
    await tab.enter(system().key);
  }

  /** Opens the view of a stream, and waits for everything above and below its chart: nothing moves the chart after that. */
  async function openChart(): Promise<void> {
    await open(`/streams/${planted.stream}`);
    const around = ['summary[.="Write an event"]', 'button[.="Delete"]', 'tbody//button'];
    for (const one of around) await tab.page.waitForSelector(`xpath///${one}`);
    await tab.page.waitForSelector('.chart .u-over');
  }

  /** Moves the pointer to a part of the width of the chart. */
  async function pointAt(fraction: number): Promise<void> {
    const chart = await tab.page.waitForSelector('.chart .u-over');
    const { x, y, width, height } = (await chart!.boundingBox())!;
    await tab.page.mouse.move(x + width * fraction, y + height / 2, { steps: 5 });
  }

  const parameters = () => new URL(tab.page.url()).searchParams;
  const evaluate = (script: string) => tab.page.evaluate(script);
  const waitFor = (condition: string) => tab.page.waitForFunction(condition, { timeout: 60_000 });

  /** Returns 0 for a stream that does not exist yet. */
  async function count(query: Record<string, string>): Promise<number> {
    const text = new URLSearchParams({ stream: planted.stream, ...query }).toString();
    const answer = await system().core.get(`/api/v1/events/count?${text}`);
    return answer.status === 404 ? 0 : answer.json<{ total: number }>().total;
  }

  /** Writes events and waits until queries return them. */
  async function write(stream: string, n: number): Promise<void> {
    const events = Array.from({ length: n }, (_, i) => ({
      ...{ stream, event_type: `tick.${i % 2}`, entity_id: `e-${i}`, data: { i } },
    }));
    const before = await count({ stream });
    expect((await system().write.post('/api/v1/events/batch', { events })).status).toBe(201);
    await until(async () => (await count({ stream })) === before + n, { what: 'the events are stored' });
  }

  describe('a range of time', () => {
    it('is kept in the URL as it was chosen, and selects rows, chart and export', async () => {
      await open(`/streams/${planted.stream}`);
      await tab.page.select('.range select', '1h');
      await waitFor('document.querySelector(".card-head h2 + .small")?.textContent.includes("1m")');
      expect(parameters().toString()).toBe('range=1h');
      const lines = (await tab.downloaded(() => tab.click('Export'))).trim().split('\n');
      const total = Number(/(\d+) events/.exec(await tab.text())![1]);
      expect(lines).toHaveLength(total);
      expect(total).toBeLessThan(900);
      await tab.page.goBack();
      await tab.shows('900 events');
    });

    it('is resolved again by a refresh, which keeps what is open and typed', async () => {
      await write('ticks', 60);
      await open('/streams/ticks?range=15m');
      await tab.shows('60 events');
      await tab.page.locator('tr:nth-child(40) .expand').click();
      await tab.page.waitForSelector('.event-detail');
      const openEvent = await evaluate('document.querySelector(".event-detail dd").textContent');
      // A field with the focus would scroll into view.
      const field = 'document.querySelector("input[list=event-types]")';
      await evaluate(
        `${field}.value = 'tick.'; ${field}.dispatchEvent(new Event('input', { bubbles: true }))`,
      );
      await evaluate('scrollTo(0, 700)');
      await write('ticks', 20);
      await evaluate('document.querySelector(".range-refresh button").click()');
      await tab.shows('80 events');
      await waitFor('document.querySelectorAll("tbody .expand").length > 50');
      expect(await evaluate('document.querySelector(".event-detail dd").textContent')).toBe(openEvent);
      expect(await evaluate(`${field}.value`)).toBe('tick.');
      expect(await evaluate('scrollY')).toBeGreaterThanOrEqual(700);
      expect(parameters().get('range')).toBe('15m');
    });

    it('is custom, in UTC, and says beside a wrong bound what is expected', async () => {
      await open(`/streams/${planted.stream}?range=24h`);
      await tab.page.select('.range select', 'custom');
      await waitFor('location.search.includes("until=")');
      const since = '.bound input:not([type])';
      const apply = async (text: string) => {
        await tab.page.locator(since).click({ count: 3 });
        await tab.page.keyboard.sendCharacter(text);
        await tab.page.keyboard.press('Enter');
      };
      await apply('yesterday');
      await tab.shows('Expected: 2026-01-31T10:00:00Z');
      expect(await tab.page.$('.expand')).toBeNull();
      await apply('2026-01-31 10:00+01:00');
      await waitFor('location.search.includes("2026-01-31T09%3A00%3A00Z")');
      await tab.shows('900 events');
      expect(await tab.page.$('.bound-error')).toBeNull();
    });

    it('of the overview selects what the charts count', async () => {
      await open('/?range=24h');
      await tab.shows('1 d ago');
      expect(await evaluate('document.querySelector(".range select").value')).toBe('24h');
      const reads = async (): Promise<boolean> => {
        // A refresh draws the chart again.
        await evaluate('document.querySelector("svg[aria-label^=Dead]")?.focus()');
        await tab.page.keyboard.press('End');
        return (
          (await evaluate('/UTC · \\d+$/.test(document.querySelector(".spark-point")?.textContent)')) === true
        );
      };
      await until(reads, { what: 'the chart says the count at the chosen time' });
    });
  });

  it('refreshes by itself, but not while the page is hidden', async () => {
    await write('beats', 1);
    await open('/streams/beats?refresh=5s');
    await tab.shows('1 events');
    await evaluate('Object.defineProperty(document, "hidden", { configurable: true, get: () => true })');
    // The clock of the page is ahead: a refresh is due.
    await evaluate('globalThis.realNow = Date.now; Date.now = () => realNow() + 3_600_000');
    await write('beats', 1);
    const asOf = await evaluate('document.querySelector(".range time").textContent');
    await sleep(1_000);
    expect(await evaluate('document.querySelector(".range time").textContent')).toBe(asOf);
    await evaluate('delete document.hidden');
    await tab.shows('2 events');
    expect(await evaluate('document.querySelector(".range time").textContent')).not.toBe(asOf);
  });

  it('a drag over the chart selects whole bars, and there is a way back', async () => {
    await openChart();
    const drag = async (from: number, to: number) => {
      await pointAt(from);
      await tab.page.mouse.down();
      await pointAt(to);
      await tab.page.mouse.up();
    };
    await drag(0.25, 0.5);
    await tab.shows('Whole range');
    const range = { since: parameters().get('since')!, until: parameters().get('until')! };
    expect(range.since).toMatch(/:[0-5][05]:00Z$/);
    const total = await count(range);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(900);
    await tab.shows(`${total} events`);
    await drag(0.4, 0.6);
    await waitFor(`!document.body.innerText.includes("${total} events")`);
    await tab.click('Previous range');
    await tab.shows(`${total} events`);
    await tab.click('Whole range');
    await tab.shows('900 events');
    expect(parameters().toString()).toBe('');
    await tab.page.goBack();
    await tab.shows(`${total} events`);
  });

  it('a chart shows the time and the counts of a bar, by pointer and by keyboard', async () => {
    await openChart();
    const values = 'document.querySelector(".chart-values")?.textContent';
    await pointAt(0.5);
    await waitFor(`/:\\d\\d UTC · \\d+ events · payment.made \\d+/.test(${values})`);
    await tab.page.mouse.move(0, 0);
    await tab.page.focus('.chart');
    await tab.page.keyboard.press('End');
    await waitFor(`${values}?.includes("UTC ·")`);
    const last = await evaluate(values);
    await tab.page.keyboard.press('ArrowLeft');
    await waitFor(`${values} !== ${JSON.stringify(last)}`);
    await waitFor(`document.querySelector(".chart").getAttribute("aria-valuetext") === ${values}`);
  });

  it('a wrong condition leaves no rows of the one before it', async () => {
    await open(`/streams/${planted.stream}?where=event.data.amount+%3E+80`);
    await tab.page.waitForSelector('.expand');
    await tab.page.type('.where textarea', ' >> 1\n');
    await tab.page.waitForSelector('.where-error');
    await tab.shows('The condition is not valid.');
    expect(await tab.page.$('.expand')).toBeNull();
    expect(await tab.page.$('.chart')).toBeNull();
  });

  it('the filters suggest the types and the entities of the range', async () => {
    await open(`/streams/${planted.stream}`);
    expect(await tab.page.$('datalist option')).toBeNull();
    await tab.page.focus('input[list=event-types]');
    await tab.page.waitForSelector('#event-types option[value="payment.returned"]');
    await waitFor('document.querySelectorAll("#entities option").length > 10');
    await tab.visit(`/streams/${planted.manyTypes}`);
    await tab.page.focus('input[list=event-types]');
    await tab.page.waitForSelector('#event-types option');
    expect((await tab.page.$$('#event-types option')).length).toBeLessThanOrEqual(100);
  });
}
