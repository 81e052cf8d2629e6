import type { Feature } from '#app';
import { ExportSettings } from './export-settings.js';
import { ExportsModule } from './exports.module.js';

/** Events as files: NDJSON, CSV, Parquet and Arrow. */
export const exports: Feature = { name: 'exports', settings: [ExportSettings], gateway: ExportsModule };

export { EventFileExporter } from './event-file-exporter.js';
