import { Module } from '@nestjs/common';
import { EventExports } from './event-exports.js';
import { ExportController } from './export.controller.js';

/** Everything that matches, without pages. */
@Module({ controllers: [ExportController], providers: [EventExports] })
export class ExportsModule {}
