/** `npm run format:settings`: writes the page of settings and the files of ClickHouse users, from what `npm run build` left. */
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { makeUsersSql, makeUsersXml, usersFiles } from '../dist/deploy/clickhouse-users.js';
import { makeSettingsPage, settingsPage } from '../dist/deploy/settings-page.js';

const options = { ...(await resolveConfig(settingsPage)), filepath: settingsPage };
writeFileSync(settingsPage, await format(makeSettingsPage(), options));
writeFileSync(usersFiles.sql, makeUsersSql());
writeFileSync(usersFiles.xml, makeUsersXml());
