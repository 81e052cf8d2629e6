/** The rights and settings of ClickHouse's user for analysts, for those who set up a server. */
export * from './analyst-user.js';
export { analystSettingNames, fixedStatementSettings } from './statement-settings.js';
