import { Module } from '@nestjs/common';
import { DEFINITIONS, PROCESS } from '#app';
import type { ProcessContext } from '#http';
import { clickHouseOptions } from '#store';
import { EventExporter } from './event-exporter.js';
import { EventFileExporter } from './event-file-exporter.js';
import { ExportSettings } from './export-settings.js';
import { ExportController } from './export.controller.js';

/** Exports of all matching events, without pages. */
@Module({
  controllers: [ExportController],
  providers: [
    EventExporter,
    {
      provide: EventFileExporter,
      // The definitions are made first, so that the exports are closed before them.
      inject: [PROCESS, ExportSettings, DEFINITIONS],
      useFactory: ({ config, lifecycle }: ProcessContext, settings: ExportSettings): EventFileExporter => {
        const files = new EventFileExporter(clickHouseOptions(config), settings.EXPORT_SECONDS);
        lifecycle.onStop('files', () => files.close());
        return files;
      },
    },
  ],
})
export class ExportsModule {}
