import { Module } from '@nestjs/common';
import { DEFINITIONS, PROCESS } from '#app';
import type { ProcessContext } from '#http';
import type { Definitions } from '#registry';
import { clickHouseOptions, openClickHouseFiles, type EventFileExporter } from '#store';
import { filesByStreamName } from '#gateway-kit';
import { EventExporter, FILES } from './event-exporter.js';
import { ExportSettings } from './export-settings.js';
import { ExportController } from './export.controller.js';

/** Exports of all matching events, without pages. */
@Module({
  controllers: [ExportController],
  providers: [
    EventExporter,
    {
      provide: FILES,
      inject: [PROCESS, DEFINITIONS, ExportSettings],
      useFactory: (
        { config, lifecycle }: ProcessContext,
        definitions: Definitions,
        settings: ExportSettings,
      ): EventFileExporter => {
        const files = openClickHouseFiles(clickHouseOptions(config), { seconds: settings.EXPORT_SECONDS });
        lifecycle.onStop('files', () => files.close());
        return filesByStreamName(files, definitions);
      },
    },
  ],
})
export class ExportsModule {}
