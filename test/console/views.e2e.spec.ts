import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useStack } from '../use-stack.js';
import { ConsolePage, openBrowser } from './console-page.js';
import { plant, planted } from './planted.js';

const system = useStack({ processors: 1, sql: true });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Folder for screenshots, set by `npm run draw:console`; undefined in tests, which take none. */
const pictures = process.env.CONSOLE_PICTURES;

let browser: Browser;
let tab: ConsolePage;

beforeAll(async () => {
  await plant(system());
  if (pictures) mkdirSync(pictures, { recursive: true });
  browser = await openBrowser();
  tab = await ConsolePage.open(browser, system().urls.query);
  await tab.visit('/');
  await tab.enter(system().key);
});
afterAll(() => browser?.close());

const sql = encodeURIComponent(
  `SELECT
  toStartOfInterval(timestamp, INTERVAL 5 MINUTE) AS time,
  countIf(event_type = 'payment.made') AS made,
  countIf(event_type = 'payment.refused') AS refused
FROM events WHERE stream = 'payments'
GROUP BY time ORDER BY time`,
);

/** Every view: its name, its path, and a text that it shows. */
const views: [name: string, path: string, text: string][] = [
  ['overview', '/', 'Ingested events per second'],
  ['map', '/map', 'read by'],
  ['streams', '/streams', planted.stream],
  ['stream', `/streams/${planted.stream}`, 'payment.made'],
  ['entity', `/entity?stream=${planted.stream}&id=p-7`, 'State at version'],
  ['projections', '/projections', planted.projection],
  ['projection', `/projections/${planted.projection}`, 'EUR'],
  ['projection-editor', '/projections?new=true', 'Definition'],
  ['pipelines', '/pipelines', planted.pipeline],
  ['pipeline-editor', `/pipelines/${planted.pipeline}?edit=true`, 'The gateway finds no error in it.'],
  ['pipeline', `/pipelines/${planted.pipeline}`, 'Why is nothing coming out?'],
  ['subscriptions', '/subscriptions', planted.subscription],
  ['subscription', `/subscriptions/${planted.subscription}`, 'The customer has no address'],
  ['subscription-editor', '/subscriptions?new=true', 'Definition'],
  ['schemas', '/schemas', 'payment.made'],
  ['schema', `/schema?stream=${planted.stream}&type=payment.made`, 'Check a next version'],
  ['dead-letters', '/dead-letters', 'refused_at_intake'],
  ['keys', '/keys', 'web shop'],
  ['audit', '/audit', 'stream'],
  ['sql', `/sql?q=${sql}`, 'Statement'],
];

const schemes = ['light', 'dark'] as const;
const rulesOfColours = ['color-contrast', 'link-in-text-block'];
const widths = [
  { width: 1600, height: 1000 },
  { width: 360, height: 780 },
] as const;

describe('the views', () => {
  describe.each(widths)('$width pixels wide', ({ width, height }) => {
    beforeAll(() => tab.page.setViewport({ width, height }));

    it.each(views)(
      '%s shows what is there, its curl and its command line, is not wider than the window, and has no findings of axe, light and dark',
      async (name, path, text) => {
        await prefer('light');
        await tab.visit(path);
        await tab.shows(text);
        expect(await tab.text()).toContain('curl and command line');
        if (name === 'sql') {
          await tab.click('Run');
          await tab.shows('rows');
          await tab.settled();
        }
        const wide = await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(wide).toBeLessThanOrEqual(0);
        await tab.page.evaluate(axe);
        for (const scheme of schemes) {
          await prefer(scheme);
          if (pictures) await draw(`${name}-${scheme}${width < 600 ? '-narrow' : ''}`);
          // Only colours differ between the schemes.
          const options = scheme === 'light' ? {} : { runOnly: { type: 'rule', values: rulesOfColours } };
          expect(await findings(options), `${name}, ${scheme}`).toEqual([]);
        }
        expect(tab.errors).toEqual([]);
      },
    );
  });
});

it('the core port needs no key, and offers no changes', async () => {
  const core = await ConsolePage.open(browser, system().urls.core);
  await core.visit('/keys');
  await core.shows('web shop');
  expect(await core.text()).toContain('read-only');
  expect(await core.page.$$('button.danger')).toEqual([]);
  await core.close();
});

async function draw(name: string): Promise<void> {
  // What is polled has arrived once, and the charts are drawn.
  await sleep(700);
  await tab.page.screenshot({ path: join(pictures!, `${name}.png`) });
}

/** Makes the page believe that its user prefers a colour scheme. */
function prefer(scheme: (typeof schemes)[number]): Promise<void> {
  return tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
}

/** Returns the findings of axe, each with the first element. */
function findings(options: object): Promise<string[]> {
  return tab.page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => \`\${id}: \${nodes[0].html} \${nodes[0].failureSummary}\`))`,
  ) as Promise<string[]>;
}
