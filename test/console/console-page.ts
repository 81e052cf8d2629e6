import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { chromium } from '../debian-program.js';

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
      if (/Content Security Policy|Refused to/.test(message.text())) this.errors.push(message.text());
    });
  }

  static async open(browser: Browser, origin: string): Promise<ConsolePage> {
    const context = await browser.createBrowserContext();
    return new ConsolePage(await context.newPage(), origin);
  }

  /** Opens a view by its URL. */
  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/console${path}`, { waitUntil: 'domcontentloaded' });
    await this.settled();
  }

  /** Types the API key into the form that asks for it. */
  async enter(key: string): Promise<void> {
    await this.page.waitForSelector('input[name=key]');
    await this.page.type('input[name=key]', key);
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
  }
}
