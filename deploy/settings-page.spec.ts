import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import {
  makeSettingsPage,
  settingsDefinedTwice,
  settingsPage,
  undocumentedSettings,
} from './settings-page.js';

describe('the page of settings', () => {
  it('describes every setting of every app', () => {
    expect(undocumentedSettings()).toEqual([]);
  });

  it('has each setting once', () => {
    expect(settingsDefinedTwice()).toEqual([]);
  });

  it('is what the configuration classes say; `npm run format:settings` writes it', async () => {
    const options = { ...(await resolveConfig(settingsPage)), filepath: settingsPage };
    expect(readFileSync(settingsPage, 'utf8')).toBe(await format(makeSettingsPage(), options));
  });
});
