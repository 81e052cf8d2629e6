import { definitionControllers, bodyProblems, createProblems } from '#gateway-kit';
import { ProjectionAnswer, ProjectionDetailAnswer, ProjectionList } from './projection-answers.js';
import { ProjectionInput, ProjectionReplacementInput } from './projection-input.js';
import { ProjectionResource } from './projection-resource.js';

/** The controllers of `/api/v1/projections` and `/api/v1/projections/{name}`. */
export const projectionControllers = definitionControllers({
  what: 'projection',
  service: ProjectionResource,
  input: ProjectionInput,
  replacement: ProjectionReplacementInput,
  answer: ProjectionAnswer,
  detail: ProjectionDetailAnswer,
  list: ProjectionList,
  problems: {
    create: [
      ...bodyProblems,
      'invalid_expression',
      'stream_not_found',
      'projection_exists',
      ...createProblems,
    ],
    replace: [
      ...bodyProblems,
      'invalid_expression',
      'projection_not_found',
      'stream_not_found',
      ...createProblems,
    ],
  },
  text: {
    create: {
      summary: 'Define a projection',
      description:
        'The projection folds the events of its streams into one state for each key, from the beginning or ' +
        'from now on. States can be read once it has caught up with the log for the first time. If the same ' +
        'projection exists already, the answer is that projection (200).',
      answer: 'The projection is being built.',
    },
    list: {
      summary: 'List projections',
      description: 'Sorted by name. A key sees a projection only if it covers all of its streams.',
      answer: 'A page of projections; `total` counts all.',
    },
    get: {
      summary: 'Get one projection',
      description: 'Includes the progress of the generation being built, if there is one.',
      answer: 'The definition of the projection, and its statistics.',
    },
    replace: {
      summary: 'Change the definition of a projection',
      description:
        'A different definition is a new version. Its generation is built from the log while the current ' +
        'one still serves reads, and replaces it once it has caught up. The same definition changes ' +
        'nothing.',
      answer: 'The current definition of the projection.',
    },
    remove: {
      summary: 'Delete a projection with its states',
      description: 'Its dead letters and the events of its streams remain.',
      answer: 'The projection is deleted.',
    },
    pause: {
      summary: 'Pause a projection',
      description:
        'The projection stops folding events within moments; its states remain readable. Repeating the request changes nothing.',
      answer: 'The projection is paused.',
    },
    resume: {
      summary: 'Resume a projection',
      description:
        'The projection continues where it stopped and misses no event. A failed projection is tried again at its ' +
        'position: if the cause remains, it fails again within moments. Repeating the request changes nothing.',
      answer: 'The projection is running.',
    },
    reset: {
      summary: 'Rebuild a projection',
      description:
        'A new generation is built from the log, while the current one still serves reads; it replaces the ' +
        'current one once it has caught up. The version does not change. Each reset starts a new ' +
        'generation, even when it is repeated.',
      answer: 'A new generation is being built.',
    },
  },
});
