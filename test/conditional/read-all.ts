import {
  checkDecisions,
  decideLog,
  readPages,
  topicOf,
  type RecordDecision,
  type Finding,
  type ObservedEvent,
  type TestSystem,
} from '#testkit';
import { readLoggedEvents } from './read-log.js';
import { readRefusals, wrongVerdicts } from './refusals.js';

/** What the store, the topics of the streams and the topic of verdicts say at the end of a run. */
interface EverythingRead {
  stored: ObservedEvent[];
  /** What the rule says about each record. */
  decisions: RecordDecision[];
  /** Stored events that contradict the rule. */
  findings: Finding[];
  /** Verdicts that contradict the rule. */
  wrongVerdicts: string[];
}

/** Reads the streams from the store and from Kafka, and compares both with the rule. */
export async function readAll(stack: TestSystem, streams: readonly string[]): Promise<EverythingRead> {
  const all: EverythingRead = { stored: [], decisions: [], findings: [], wrongVerdicts: [] };
  for (const stream of streams) {
    const stored = await readPages(stack.core, { stream, order: 'asc' });
    const topic = await topicOf(stack, stream);
    const decisions = decideLog(await readLoggedEvents(stack.brokers, topic));
    const isRefused = await readRefusals(stack.brokers, { verdicts: stack.topics.verdicts, topic });
    all.stored.push(...stored);
    all.decisions.push(...decisions);
    all.findings.push(...checkDecisions(decisions, stored));
    all.wrongVerdicts.push(...wrongVerdicts(decisions, isRefused));
  }
  return all;
}
