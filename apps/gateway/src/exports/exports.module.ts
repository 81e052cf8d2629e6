import { Module } from '@nestjs/common';
import { EventExporter } from './event-exporter.js';
import { ExportController } from './export.controller.js';

/** Exports of all matching events, without pages. */
@Module({ controllers: [ExportController], providers: [EventExporter] })
export class ExportsModule {}
