import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { faultSeed, SeededRandom } from '#testkit';
import { chromium } from '../debian-program.js';

/** Set by `npm run check:console-slow`: how many times slower than the processor each page is. */
const slowness = Number(process.env.CONSOLE_SLOW ?? 0);
const random = slowness > 0 ? new SeededRandom(faultSeed()) : undefined;

/** Counts the requests of a page that run. An answer that was just received is read and shown before its request is done. */
const countRequests = `{
  const { fetch } = globalThis;
  globalThis.running = 0;
  globalThis.fetch = (...request) => {
    globalThis.running++;
    return fetch(...request).finally(() => setTimeout(() => globalThis.running--, 100));
  };
}`;

export function openBrowser(): Promise<Browser> {
  return puppeteer.launch({
    executablePath: chromium(),
    headless: 'shell',
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
}

/**
 * One tab with the console of a port. The page object records requests that the browser refused and scripts that
 * failed.
 */
export class ConsolePage {
  readonly errors: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      if (!/Content Security Policy|Refused to/.test(message.text())) return;
      const lines = message.stackTrace().map(({ url, lineNumber }) => `${url}:${lineNumber}`);
      this.errors.push([message.text(), ...lines].join('\n'));
    });
  }

  static async open(browser: Browser, origin: string): Promise<ConsolePage> {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.evaluateOnNewDocument(countRequests);
    if (random) await slowDown(page, random);
    return new ConsolePage(page, origin);
  }

  /** Opens a view by its URL. */
  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/console${path}`, { waitUntil: 'domcontentloaded' });
    await this.settled();
  }

  /** Types the API key into the form that asks for it. */
  async enter(key: string): Promise<void> {
    await this.type('input[name=key]', key);
    await this.page.keyboard.press('Enter');
    await this.page.waitForSelector('nav');
    await this.settled();
  }

  /** Waits until nothing is loading. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(
      'document.querySelector("h1") && !document.querySelector(".loading") && !document.querySelector(".chart:empty")',
      { timeout: 60_000 },
    );
  }

  /** Waits until the page shows a text. */
  async shows(text: string): Promise<void> {
    await this.page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, {
      timeout: 60_000,
    });
  }

  /** Waits for a field and enters a text at once, as pasting does. */
  async type(selector: string, text: string): Promise<void> {
    await this.page.waitForSelector(selector);
    await this.page.focus(selector);
    await this.page.keyboard.sendCharacter(text);
  }

  /** Runs an action, and waits until a request that it causes was answered and its answer is shown. */
  async answered(path: string, action: () => Promise<unknown>): Promise<void> {
    const isIt = (response: { url: () => string }) => response.url().includes(path);
    await Promise.all([this.page.waitForResponse(isIt, { timeout: 60_000 }), action()]);
    await this.idle();
  }

  /** Waits until no request of the page runs: what is not shown then is not shown later, either. */
  async idle(): Promise<void> {
    await this.settled();
    await this.page.waitForFunction('running === 0', { timeout: 60_000 });
  }

  text(): Promise<string> {
    return this.page.evaluate('document.body.innerText') as Promise<string>;
  }

  /** Clicks the first button or link with this name. */
  async click(name: string): Promise<void> {
    await this.page.locator(`::-p-aria([name=${JSON.stringify(name)}])`).click();
  }

  /** Waits until an element is there, and presses Tab until it has the focus. */
  async tabTo(selector: string, text = ''): Promise<void> {
    const isIt = (element: string) =>
      `${element}.matches(${JSON.stringify(selector)}) && ${element}.textContent.includes(${JSON.stringify(text)})`;
    await this.page.waitForFunction(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].some((one) => ${isIt('one')})`,
      { timeout: 60_000 },
    );
    for (let i = 0; i < 200; i++) {
      if (await this.page.evaluate(isIt('document.activeElement'))) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`200 presses of Tab do not reach ${selector} ${text}`);
  }

  /** Runs an action that saves a file, and returns the text of the file. */
  async downloaded(action: () => Promise<void>): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-download-'));
    const session = await this.page.createCDPSession();
    const done = new Promise<void>((resolve) => {
      session.on('Browser.downloadProgress', ({ state }) => {
        if (state === 'completed') resolve();
      });
    });
    const options = { behavior: 'allowAndName', downloadPath: folder, eventsEnabled: true } as const;
    await session.send('Browser.setDownloadBehavior', {
      ...options,
      browserContextId: this.page.browserContext().id!,
    });
    try {
      await action();
      await done;
      const [file = ''] = await readdir(folder);
      return await readFile(join(folder, file), 'utf8');
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async close(): Promise<void> {
    await this.page.browserContext().close();
    expect(this.errors).toEqual([]);
  }
}

/** Holds back each answer of the API and each script, for up to 1.2 s, and slows down the processor. */
async function slowDown(page: Page, random: SeededRandom): Promise<void> {
  await page.emulateCPUThrottling(slowness);
  // A session of its own: specs intercept requests of the page too.
  const session = await page.createCDPSession();
  session.on('Fetch.requestPaused', ({ requestId }) => {
    // The page may have gone meanwhile.
    const pass = () => void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
    setTimeout(pass, random.int(1_200));
  });
  const patterns = ['*/api/*', '*.js'].map((urlPattern) => ({
    urlPattern,
    requestStage: 'Response' as const,
  }));
  await session.send('Fetch.enable', { patterns });
}
