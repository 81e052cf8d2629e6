import { definitionControllers, bodyProblems, createProblems, storeAndLogProblems } from '#gateway-kit';
import { PipelineAnswer, PipelineDetailAnswer, PipelineList } from './pipeline-answers.js';
import { PipelineInput, PipelineReplacementInput, PipelineReplacementParameters } from './pipeline-input.js';
import { definitionProblems, effectProblems } from './pipeline-problems.js';
import { PipelineResource } from './pipeline-resource.js';

/** The controllers of `/api/v1/pipelines` and `/api/v1/pipelines/{name}`. */
export const pipelineControllers = definitionControllers({
  what: 'pipeline',
  service: PipelineResource,
  input: PipelineInput,
  replacement: PipelineReplacementInput,
  replacementQuery: PipelineReplacementParameters,
  answer: PipelineAnswer,
  detail: PipelineDetailAnswer,
  list: PipelineList,
  problems: {
    create: [...bodyProblems, ...definitionProblems, 'pipeline_exists', ...effectProblems, ...createProblems],
    replace: [
      ...bodyProblems,
      'pipeline_not_found',
      ...definitionProblems,
      ...effectProblems,
      'definition_limit_reached',
      'definition_conflict',
      ...storeAndLogProblems,
    ],
  },
  text: {
    create: {
      summary: 'Define a pipeline',
      description:
        'The pipeline processes the events of its source streams as they arrive, from the beginning or from ' +
        'now on. It writes its results to other streams, and creates those that do not exist. A key must ' +
        'cover the streams that the pipeline reads and writes. If the same pipeline exists already, the ' +
        'answer is that pipeline (200).',
      answer: 'The pipeline is running.',
    },
    list: {
      summary: 'List pipelines',
      description: 'Sorted by name. A key sees a pipeline only if it covers all of its streams.',
      answer: 'A page of pipelines; `total` counts all.',
    },
    get: {
      summary: 'Get one pipeline',
      answer: 'The definition of the pipeline, and its statistics with those of each operator.',
    },
    replace: {
      summary: 'Change the definition of a pipeline',
      description:
        'A different definition is a new version. The job continues where it stopped: no event is processed ' +
        'twice. A window, dedupe, expect or join that is unchanged at its position keeps its state; otherwise its state ' +
        'and its open windows are discarded. With `from=beginning`, everything is processed and emitted ' +
        'again, as different events. The same definition changes nothing.',
      answer: 'The current definition of the pipeline.',
    },
    remove: {
      summary: 'Delete a pipeline with its open windows and its internal topics',
      description: 'The events that it has emitted and its dead letters remain.',
      answer: 'The pipeline is deleted.',
    },
    pause: {
      summary: 'Pause a pipeline',
      description:
        'The pipeline stops processing within moments, and its windows stay open. Repeating the request changes nothing.',
      answer: 'The pipeline is paused.',
    },
    resume: {
      summary: 'Resume a pipeline',
      description:
        'The pipeline continues where it stopped and misses no event. A failed pipeline is tried again at ' +
        'its position: if the cause remains, it fails again within moments. Repeating the request changes ' +
        'nothing.',
      answer: 'The pipeline is running.',
    },
    reset: {
      summary: 'Restart a pipeline',
      description:
        'The pipeline discards its windows, processes its streams again, and emits the results again as ' +
        'different events. Events that it emitted before remain. Its version does not change. Each reset ' +
        'starts a new job, even when it is repeated.',
      answer: 'A new job has started.',
    },
  },
});
