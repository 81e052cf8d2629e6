import { ProblemError } from '#api';
import type { RunningKind } from './definition-name.js';
import {
  VisibleDefinitions,
  type DefinitionChange,
  type DefinitionChangeCaller,
  type RunningDefinition,
  type VisibleDefinitionsOptions,
} from './visible-definitions.js';

interface CreatableDefinitionsOptions<D> extends VisibleDefinitionsOptions<D> {
  what: Exclude<RunningKind, 'subscription'>;
}

/** The projection or pipeline that a request wants to create. */
interface DefinitionToCreate<D> {
  /** Returns the definition to create; called only when no definition has this name. */
  first: () => D;
  isSame: (current: D) => boolean;
  /** The verb of the sentence that says how an existing definition differs: `folds`, `does`. */
  verb: string;
}

/** Visible definitions that a POST creates: the request fails if another definition has the name. */
export class CreatableDefinitions<D extends RunningDefinition> extends VisibleDefinitions<D> {
  constructor(protected override readonly options: CreatableDefinitionsOptions<D>) {
    super(options);
  }

  /**
   * Creates a projection or pipeline. If a visible one with the same name and the same spec exists, returns that one.
   * @throws ProblemError 409 `projection_exists`, `pipeline_exists`, definition_limit_reached, definition_conflict,
   * log_unavailable, and the errors of `first`
   */
  async define(
    name: string,
    { actor, access }: DefinitionChangeCaller,
    { first, isSame, verb }: DefinitionToCreate<D>,
  ): Promise<DefinitionChange<D>> {
    const { what, kind } = this.options;
    const next = (current: D | undefined): D => {
      if (!current) return first();
      if (!this.permits(current, access)) throw this.taken(`The name ${name} is taken; choose another one.`);
      if (isSame(current)) return current;
      throw this.taken(`There is a ${what} ${name} that ${verb} something else; PUT changes it.`);
    };
    const { value, changed } = await kind.change(name, next, actor);
    return { definition: this.requireVisible(value, access), created: changed };
  }

  /** Returns the error for a taken name. It says nothing about a definition that the caller may not see. */
  private taken(detail: string): ProblemError {
    const errors = [{ pointer: '/name', detail: 'is taken' }];
    return new ProblemError(`${this.options.what}_exists`, detail, { errors });
  }
}
