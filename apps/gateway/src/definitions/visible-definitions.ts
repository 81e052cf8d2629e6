import { ProblemError, type StreamAccess } from '#api';
import type { Actor, Kind } from '#registry';
import type { NamedKind } from './definition-name.js';

/** Who asks for a definition, or changes it. */
export interface DefinitionCaller {
  access: StreamAccess;
  actor: Actor;
}

export interface VisibleDefinitionsOptions<D> {
  what: NamedKind;
  kind: Kind<D>;
  /** Whether all that a definition reads, asks and writes may be seen. */
  permits: (definition: D, access: StreamAccess) => boolean;
}

/** A definition that a caller sends. */
export interface WantedDefinition<D> {
  /** The definition to create when no definition has this name. */
  first: () => D;
  isSame: (current: D) => boolean;
  /** The verb of the sentence that says how an existing definition differs: `folds`, `does`. */
  verb: string;
}

/**
 * The definitions of one kind as callers see them. One that may not be seen is answered as if it did not exist.
 *
 * Each change is made of what holds then: of two at the same time the second is made of what the first has left.
 */
export class VisibleDefinitions<D extends { name: string }> {
  constructor(private readonly options: VisibleDefinitionsOptions<D>) {}

  all(access: StreamAccess): D[] {
    return this.options.kind.all().filter((definition) => this.permits(definition, access));
  }

  permits(definition: D, access: StreamAccess): boolean {
    return this.options.permits(definition, access);
  }

  /** @throws ProblemError 404 `projection_not_found`, `pipeline_not_found` */
  get(name: string, access: StreamAccess): D {
    return this.permitted(this.options.kind.get(name), access);
  }

  /** @throws ProblemError what `get` throws */
  permitted(definition: D | undefined, access: StreamAccess): D {
    if (definition && this.permits(definition, access)) return definition;
    const { what } = this.options;
    const detail = `There is no such ${what}; GET /api/v1/${what}s lists those that you may see.`;
    throw new ProblemError(`${what}_not_found`, detail);
  }

  /**
   * A new definition, or the one that is there if it is exactly this.
   * @throws ProblemError 409 `projection_exists`, `pipeline_exists`, definition_limit_reached, definition_conflict,
   * log_unavailable, and what `first` throws
   */
  async define(
    name: string,
    { actor, access }: DefinitionCaller,
    { first, isSame, verb }: WantedDefinition<D>,
  ): Promise<{ definition: D; created: boolean }> {
    const { what, kind } = this.options;
    const next = (current: D | undefined): D => {
      if (!current) return first();
      if (!this.permits(current, access)) throw this.taken(`The name ${name} is taken; choose another one.`);
      if (isSame(current)) return current;
      throw this.taken(`There is a ${what} ${name} that ${verb} something else; PUT changes it.`);
    };
    const { value, changed } = await kind.change(name, next, actor);
    return { definition: this.permitted(value, access), created: changed };
  }

  /** @throws ProblemError what `get` throws, definition_conflict, log_unavailable */
  async change(name: string, { actor, access }: DefinitionCaller, next: (current: D) => D): Promise<D> {
    const change = (current: D | undefined) => next(this.permitted(current, access));
    const { value } = await this.options.kind.change(name, change, actor);
    return this.permitted(value, access);
  }

  /** Removes a definition and returns what it was. @throws ProblemError what `change` throws */
  async remove(name: string, { actor, access }: DefinitionCaller): Promise<D> {
    let removed: D | undefined;
    const next = (current: D | undefined): undefined => {
      removed = this.permitted(current, access);
    };
    await this.options.kind.change(name, next, actor);
    return removed as D;
  }

  /** Says that a name is taken. A definition that may not be seen is not described. */
  private taken(detail: string): ProblemError {
    const errors = [{ pointer: '/name', detail: 'is taken' }];
    return new ProblemError(`${this.options.what}_exists`, detail, { errors });
  }
}
