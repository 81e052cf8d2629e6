import { Module } from '@nestjs/common';
import { RawController } from './raw.controller.js';

@Module({ controllers: [RawController] })
export class RawModule {}
