import type { Browser } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { HttpClient, until, type TestSystem } from '#testkit';
import { ConsolePage } from './console-page.js';
import { planted } from './planted.js';

/** Changes in the console of a core port with `CONSOLE_WRITES`: each as a user makes it, and its effect in the API. */
export function describeWrites(system: () => TestSystem, browser: () => Browser): void {
  const opened = async (path: string): Promise<ConsolePage> => {
    const tab = await ConsolePage.open(browser(), system().urls.core);
    await tab.visit(path);
    return tab;
  };
  const created = async (path: string, body: object) => {
    const answer = await system().core.post(`/api/v1/${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
  };

  describe('changes on the core port', () => {
    it('delete a stream after its name has been typed', async () => {
      await created('streams', { stream: 'doomed' });
      const tab = await opened('/streams/doomed');
      await tab.click('Delete');
      expect(await tab.page.$eval('dialog[open] [type=submit]', isDisabled)).toBe(true);
      await tab.page.type('dialog[open] input', 'doomed');
      await tab.page.click('dialog[open] [type=submit]');
      await tab.shows('Append-only');
      await tab.shows(planted.stream);
      expect(await tab.text()).not.toContain('doomed');
      expect((await system().core.get('/api/v1/streams/doomed')).status).toBe(404);
      await tab.close();
    });

    it('pause a pipeline and resume it', async () => {
      const tab = await opened(`/pipelines/${planted.pipeline}`);
      await tab.click('Pause');
      await tab.shows('The pipeline stops within moments. Its windows stay open.');
      await tab.page.click('dialog[open] [type=submit]');
      await tab.shows('The status is paused.');
      await tab.click('Resume');
      await tab.page.click('dialog[open] [type=submit]');
      await tab.page.waitForFunction('!document.body.innerText.includes("The status is paused.")');
      const { status } = (await system().core.get(`/api/v1/pipelines/${planted.pipeline}`)).json<{
        status: string;
      }>();
      expect(status).toBe('running');
      await tab.close();
    });

    it('resume a failed pipeline', async () => {
      await created('streams', { stream: 'unsent' });
      const operators = [{ webhook: { url: 'https://example.com/', secret_ref: 'nobodys' } }];
      await created('pipelines', { name: 'unsent', source: { streams: ['unsent'] }, operators });
      const tab = await opened('/pipelines/unsent');
      await tab.shows('then resume it: it continues at its position');
      expect(await tab.text()).not.toContain('Pause');
      await tab.click('Resume');
      await tab.page.click('dialog[open] [type=submit]');
      const resumed = '/api/v1/events/query?stream=tributary.audit&event_type=pipeline.resumed';
      const isAudited = async () => (await system().core.get(resumed)).text.includes('"unsent"');
      await until(isAudited, { what: 'the pipeline was resumed' });
      // The cause remains, so the pipeline fails again.
      await tab.shows('Add {"nobodys":');
      await system().core.send('DELETE', '/api/v1/pipelines/unsent');
      await tab.close();
    });

    it('issue a key, rotate it, and revoke it', async () => {
      const tab = await opened('/keys');
      await tab.click('Issue a key');
      await tab.page.type('form .grid input', 'from the console');
      await tab.click('Issue');
      const first = await secretIn(tab);
      expect(await statusWith(first)).toBe(200);
      await confirm(tab, 'from the console', 'Rotate');
      await tab.page.waitForFunction(`document.querySelector('.secret code').textContent !== '${first}'`);
      const second = await secretIn(tab);
      expect(await statusWith(second)).toBe(200);
      await confirm(tab, 'from the console', 'Revoke');
      await tab.shows('revoked');
      await until(async () => (await statusWith(second)) === 401, { what: 'the key is refused' });
      await tab.close();
    });

    it('replay a dead letter only after a dry run, and show what happened', async () => {
      const stream = 'mended';
      const schema = { type: 'object', required: ['amount'] };
      await created('schemas', { stream, event_type: 'order.placed', schema });
      const event = { stream, event_type: 'order.placed', data: { note: 'no amount' } };
      const headers = { prefer: 'handling=lenient' };
      const { write, core } = system();
      expect((await write.post('/api/v1/events/batch', { events: [event] }, { headers })).status).toBe(200);
      await until(async () => (await core.get('/api/v1/dead-letters')).text.includes(`"${stream}"`), {
        what: 'the dead letter is stored',
      });
      await created('schemas', { stream, event_type: 'order.placed', schema, mode: 'warn' });
      const tab = await opened('/dead-letters');
      await tab.page.locator(`xpath///tr[td/a[.='${stream}']]//input`).click();
      await tab.shows('1 selected');
      expect(await tab.page.$eval('section[aria-label=Replay] .primary', isDisabled)).toBe(true);
      await tab.click('Dry run');
      await tab.shows('Dry run, nothing was changed: 1 of 1 would be replayed.');
      expect(await tab.text()).not.toContain('were replayed');
      await tab.click('Replay selected');
      await tab.shows('1 of 1 were replayed.');
      expect(await tab.text()).not.toContain('Dry run');
      await tab.page.waitForSelector(`xpath///tr[td/a[.='${stream}']]/td[7]/time`);
      await until(
        async () => (await core.get(`/api/v1/events/count?stream=${stream}`)).text.includes('"total":1'),
        {
          what: 'the replayed event can be queried',
        },
      );
      await tab.close();
    });
  });

  /** Returns the secret that the view shows. */
  async function secretIn(tab: ConsolePage): Promise<string> {
    const shown = await tab.page.waitForSelector('.secret code');
    return (await shown!.evaluate(textOf)) ?? '';
  }

  async function statusWith(key: string): Promise<number> {
    const client = new HttpClient(system().urls.query, { headers: { authorization: `Bearer ${key}` } });
    try {
      return (await client.get('/api/v1/streams')).status;
    } finally {
      await client.close();
    }
  }
}

/** Clicks the button of a key's row, and the same in the dialog that asks. */
async function confirm(tab: ConsolePage, name: string, label: string): Promise<void> {
  const button = `xpath///tr[th//bdi[.='${name}']]//button[.='${label}' and not(ancestor::dialog)]`;
  await tab.page.locator(button).click();
  await tab.page.locator('dialog[open] [type=submit]').click();
  await tab.page.waitForFunction('!document.querySelector("dialog[open]")');
}

const isDisabled = (element: { disabled?: boolean }) => element.disabled;
const textOf = (element: { textContent: string | null }) => element.textContent;
