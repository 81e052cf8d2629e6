import { Module } from '@nestjs/common';
import { EntitiesController } from './entities.controller.js';
import { EntityStateController } from './entity-state.controller.js';

/** Nest module of the routes that list entities and return an entity's state. */
@Module({ controllers: [EntitiesController, EntityStateController] })
export class EntitiesModule {}
