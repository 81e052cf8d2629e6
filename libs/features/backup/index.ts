/** Backups of the definitions of every kind, in a file. */
export { exportDefinitions, importDefinitions } from './definitions-backup.js';
export { runBackupProgram } from './program.js';
