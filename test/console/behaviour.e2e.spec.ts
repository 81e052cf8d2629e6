import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useStack } from '../use-stack.js';
import { ConsolePage, openBrowser } from './console-page.js';
import { describeEditor } from './describe-editor.js';
import { describeLists } from './describe-lists.js';
import { describeSql } from './describe-sql.js';
import { describeSubscriptions } from './describe-subscriptions.js';
import { describeTimes } from './describe-times.js';
import { describeWrites } from './describe-writes.js';
import { plant, planted } from './planted.js';

const system = useStack({ processors: 1, sql: true, env: { CONSOLE_WRITES: 'true' } });
let browser: Browser;

beforeAll(async () => {
  await plant(system());
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** Opens the console of the query port with a key. */
async function opened(key = system().key, path = '/'): Promise<ConsolePage> {
  const tab = await ConsolePage.open(browser, system().urls.query);
  await tab.page.goto(`${system().urls.query}/console${path}`);
  await tab.enter(key);
  return tab;
}

interface Issued {
  key: string;
  key_id: string;
}

async function issue(input: object): Promise<Issued> {
  const answer = await system().core.post('/api/v1/keys', input);
  expect(answer.status, answer.text).toBe(201);
  return answer.json<Issued>();
}

describe('the door', () => {
  it('refuses a wrong key with the code of the problem', async () => {
    const tab = await ConsolePage.open(browser, system().urls.query);
    await tab.visit('/streams');
    await tab.type('input[name=key]', 'trb_wrong');
    await tab.page.keyboard.press('Enter');
    await tab.shows('invalid_token');
    await tab.close();
  });

  it('keeps the key in the session only, and sends it in the header only', async () => {
    const tab = await ConsolePage.open(browser, system().urls.query);
    const seen: string[] = [];
    tab.page.on('request', (request) => seen.push(`${request.url()} ${request.postData() ?? ''}`));
    await tab.visit('/streams');
    await tab.enter(system().key);
    await tab.shows(planted.stream);
    expect(seen.filter((one) => one.includes(system().key))).toEqual([]);
    const stored = await tab.page.evaluate('JSON.stringify([localStorage, document.cookie])');
    expect(stored).not.toContain(system().key);
    await tab.close();
  });

  it('is shown again when the key is revoked', async () => {
    const { key, key_id } = await issue({ name: 'revoked soon', scopes: ['events:read'] });
    const tab = await opened(key, '/streams');
    await tab.shows(planted.stream);
    await system().core.send('DELETE', `/api/v1/keys/${key_id}`);
    await tab.shows('The session has ended.');
    await tab.close();
  });
});

it('shows a key with one stream nothing of another', async () => {
  const { key } = await issue({
    ...{ name: 'one stream', scopes: ['events:read', 'definitions:read'], streams: ['other'] },
  });
  const tab = await opened(key, '/');
  const paths = [
    '/',
    '/streams',
    '/projections',
    '/pipelines',
    '/subscriptions',
    '/schemas',
    '/dead-letters',
    '/keys',
    '/audit',
  ];
  for (const path of paths) {
    await tab.visit(path);
    await tab.idle();
    const text = await tab.text();
    for (const name of [
      planted.stream,
      planted.projection,
      planted.pipeline,
      planted.subscription,
      planted.hostile,
    ])
      expect(text, path).not.toContain(name);
  }
  await tab.close();
});

describe('events from outside', () => {
  it('are text, never markup', async () => {
    const tab = await opened(system().key, `/streams/${planted.hostile}`);
    await tab.page.waitForSelector('.expand');
    for (const button of await tab.page.$$('.expand')) await button.asLocator().click();
    await tab.shows(planted.large);
    const text = await tab.text();
    expect(text).toContain('1.50');
    expect(text).toContain('1e-400');
    expect(text).toContain('\\u{202e}');
    expect(text).not.toContain('\u202e');
    expect(text.length).toBeLessThan(60_000);
    expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await tab.page.$$('td script, td img')).toEqual([]);
    await tab.close();
  });

  it('of ten thousand types are shown without a count of each', async () => {
    const tab = await opened(system().key, `/streams/${planted.manyTypes}`);
    await tab.shows('10 000 events');
    expect((await tab.page.$$('.legend li')).length).toBeLessThanOrEqual(8);
    await tab.close();
  });
});

describe('a stream', () => {
  it('shows the error of a condition at its character, and selects with a valid one', async () => {
    const tab = await opened(system().key, `/streams/${planted.stream}?where=event.data.amount+%3E%3E+50`);
    await tab.page.waitForSelector('.where-error mark');
    expect(await tab.page.evaluate('document.querySelector(".where-error mark").textContent')).toBe('>');
    await tab.visit(`/streams/${planted.stream}?where=event.data.amount+%3E+80&type=payment.made`);
    await tab.page.waitForSelector('.expand');
    expect(await tab.page.$('.where-error')).toBeNull();
    await tab.close();
  });

  it('shows events as they arrive, and pauses', async () => {
    const tab = await opened(system().key, '/streams/live-events');
    const write = (n: number) =>
      system().write.post('/api/v1/events', { stream: 'live-events', event_type: 'tick', data: { n } });
    await write(0);
    await tab.visit('/streams/live-events?live=true');
    await tab.shows('Live');
    // The stream begins with the events after its connection.
    for (let n = 1; !/[1-9]\d* arrived/.test(await tab.text()); n++) {
      await write(n);
      await sleep(50);
    }
    await tab.click('Pause');
    await tab.shows('Paused');
    await write(-1);
    await tab.shows('waiting');
    await tab.click('Continue');
    await tab.shows('{"n":-1}');
    await tab.close();
  });
});

describe('the events that the filters select', () => {
  const filter = 'type=payment.refused&where=event.data.amount+%3E+50';

  it('are exported, and no others', async () => {
    const tab = await opened(system().key, `/streams/${planted.stream}?${filter}`);
    await tab.shows('payment.refused');
    const lines = (await tab.downloaded(() => tab.click('Export'))).trim().split('\n');
    const query = `stream=${planted.stream}&event_${filter}`;
    const { total } = (await system().core.get(`/api/v1/events/count?${query}`)).json<{ total: number }>();
    expect(lines).toHaveLength(total);
    expect(total).toBeGreaterThan(5);
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ stream: planted.stream, event_type: 'payment.refused' });
    await tab.close();
  });
});

describeTimes(system, () => browser);
describeWrites(system, () => browser);
describeEditor(system, () => browser);
describeLists(system, () => browser);
describeSql(system, () => browser);
describeSubscriptions(system, () => browser);

it('checks data against the schema that is shown', async () => {
  const tab = await opened(system().key, `/schema?stream=${planted.stream}&type=payment.made`);
  const area = 'section[aria-label="Check data"] textarea';
  await tab.type(area, '{"event_type": "payment.made", "data": {"amount": -1}}');
  await tab.page.click('section[aria-label="Check data"] [type=submit]');
  await tab.shows('It does not match version 2');
  expect(await tab.text()).toContain('/data/amount');
  await tab.click('Paste the latest event');
  await tab.page.waitForFunction(`document.querySelector('${area}').value.includes('currency')`);
  await tab.page.click('section[aria-label="Check data"] [type=submit]');
  await tab.shows('It matches version 2.');
  await tab.close();
});

it('runs a pipeline with picked events, and writes nothing', async () => {
  const tab = await opened(system().key, `/pipelines/${planted.pipeline}`);
  await tab.page.waitForSelector('section[aria-label="Dry run"] select');
  await tab.page.select('section[aria-label="Dry run"] select', 'picked');
  await tab.page.waitForSelector('[aria-label="Events to pick"] input');
  const boxes = await tab.page.$$('[aria-label="Events to pick"] input');
  for (const box of boxes.slice(0, 2)) await box.asLocator().click();
  await tab.click('Run with 2');
  await tab.page.waitForSelector('[aria-label=Traces] .steps');
  expect(await tab.page.$$('[aria-label=Traces] .steps')).not.toEqual([]);
  await tab.close();
});

it('is usable by keyboard alone', async () => {
  const tab = await opened();
  await tab.visit('/');
  await tab.tabTo('a', 'Streams');
  await tab.page.keyboard.press('Enter');
  await tab.shows('Append-only');
  await tab.tabTo('a', planted.stream);
  await tab.page.keyboard.press('Enter');
  await tab.tabTo('.expand');
  await tab.page.keyboard.press('Enter');
  await tab.page.waitForSelector('.event-detail');
  await tab.close();
});

it('the charts of lag have what the gateway measured before the page was opened', async () => {
  await system().core.get('/health');
  const tab = await opened();
  await tab.page.waitForSelector('svg[aria-label^="Processor lag"] polyline');
  await tab.page.waitForFunction('/since \\d\\d:\\d\\d/.test(document.body.innerText)');
  await tab.close();
});

it('recovers by itself after the gateway was away', async () => {
  const tab = await opened(system().key, '/streams');
  await tab.shows(planted.stream);
  const { gateway } = system();
  await gateway.stop();
  await tab.shows('cannot be reached');
  await gateway.launch().ready();
  await tab.page.waitForFunction('!document.body.innerText.includes("cannot be reached")', {
    timeout: 60_000,
  });
  await tab.shows(planted.stream);
  await tab.close();
});
