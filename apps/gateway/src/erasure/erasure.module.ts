import { Module } from '@nestjs/common';
import { EntityErasure } from './entity-erasure.js';
import { ErasureController } from './erasure.controller.js';

@Module({ controllers: [ErasureController], providers: [EntityErasure] })
export class ErasureModule {}
