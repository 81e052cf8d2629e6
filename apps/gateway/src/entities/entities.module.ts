import { Module } from '@nestjs/common';
import { EntitiesController } from './entities.controller.js';
import { EntityStateController } from './entity-state.controller.js';

@Module({ controllers: [EntitiesController, EntityStateController] })
export class EntitiesModule {}
