import { Module } from '@nestjs/common';
import { EventExports } from './event-exports.js';
import { ExportController } from './export.controller.js';

/** Exports of all matching events, without pages. */
@Module({ controllers: [ExportController], providers: [EventExports] })
export class ExportsModule {}
