import { runBackupProgram } from '#features/backup';

await runBackupProgram();
