/** `npm run format:settings`: writes the page of settings from the configuration classes, as `npm run build` left them. */
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { makeSettingsPage, settingsPage } from '../dist/deploy/settings-page.js';

const options = { ...(await resolveConfig(settingsPage)), filepath: settingsPage };
writeFileSync(settingsPage, await format(makeSettingsPage(), options));
