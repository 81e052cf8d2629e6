import type { components } from '../generated/openapi.js';

/** The schemas of the API's OpenAPI document. */
export type ApiSchemas = components['schemas'];

/** A type in which some members have a more precise type than in the OpenAPI document. */
export type Replace<Type, Members> = {
  [Name in keyof Type]: Name extends keyof Members ? Members[Name] : Type[Name];
};
