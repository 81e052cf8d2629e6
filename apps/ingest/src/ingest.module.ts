import { Module, type DynamicModule } from '@nestjs/common';
import { DefinitionsModule, LogModule, ProcessModule, ProducerModule, writeModulesOf } from '#app';
import type { ProcessContext } from '#http';
import { WriteModule } from '#writing';
import { features } from './features.js';
import type { IngestConfig } from './ingest-config.js';

/** Root module of ingest: the write routes. */
@Module({})
export class IngestModule {
  static with(context: ProcessContext<IngestConfig>): DynamicModule {
    return {
      module: IngestModule,
      imports: [
        ProcessModule.with(context),
        LogModule.forRoot(),
        ProducerModule,
        DefinitionsModule.forRoot(features),
        WriteModule,
        ...writeModulesOf(features, context.config),
      ],
    };
  }
}
