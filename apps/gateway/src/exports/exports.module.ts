import { Module } from '@nestjs/common';
import { DEFINITIONS, PROCESS } from '#app';
import type { ProcessContext } from '#http';
import type { Definitions } from '#registry';
import { clickHouseOptions, openClickHouseFiles, type EventFileExporter } from '#store';
import type { GatewayConfig } from '../config/gateway-config.js';
import { filesByStreamName } from '../reads/by-stream-name.js';
import { EventExporter, FILES } from './event-exporter.js';
import { ExportController } from './export.controller.js';

/** Exports of all matching events, without pages. */
@Module({
  controllers: [ExportController],
  providers: [
    EventExporter,
    {
      provide: FILES,
      inject: [PROCESS, DEFINITIONS],
      useFactory: (
        { config, lifecycle }: ProcessContext<GatewayConfig>,
        definitions: Definitions,
      ): EventFileExporter => {
        const files = openClickHouseFiles(clickHouseOptions(config), { seconds: config.EXPORT_SECONDS });
        lifecycle.onStop('files', () => files.close());
        return filesByStreamName(files, definitions);
      },
    },
  ],
})
export class ExportsModule {}
