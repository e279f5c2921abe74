import { explainServer, type PlanFacts, type PlanSubject, type ToldEvent } from '../../firmware/index.ts';
import { KubeError, type KubeObject, systemClock } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { readWork } from '../fleet/read-fleet.ts';
import { sentenceOfWork } from '../install-service/conditions.ts';
import type { RestClient } from '../install-service/rest-client.ts';
import { readEvents } from '../objects/describe.ts';
import { timeOf } from '../objects/order-events.ts';
import type { Session, SessionFlags } from '../objects/session.ts';
import { readOutputForm } from '../output/output-form.ts';
import { renderShown } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { subjectsNamed } from './choose-servers.ts';
import { formatExplanation } from './format-explanation.ts';
import { readingOf, readPlanFacts } from './plan-firmware.ts';

/** The flags of `rackwright why`. */
export interface WhyFlags extends SessionFlags {
  readonly output?: string;
}

/** What a server is explained with. */
export interface WhyServerParts {
  readonly session: Session;
  readonly terminal: Terminal;
  /** The REST services, where they can be asked: they know of installs that no ServerFirmware asked for. */
  readonly rest: RestClient | undefined;
}

/** Explains a server and prints it. */
export async function whyServer(
  word: string,
  flags: WhyFlags,
  { session, terminal, rest }: WhyServerParts,
): Promise<void> {
  const output = readOutputForm(flags.output);
  const reading = readingOf(flags, terminal);
  const facts = await readPlanFacts(session, terminal.interrupted);
  const subject = oneOf(word, subjectsNamed(facts, word));
  const events = await eventsOf(subject, facts, { session, terminal });
  const found = explainServer({ facts, subject, reading, events }, systemClock.now());
  if (found === undefined) throw new CliError('failed', `${word} is gone`);
  const work = await sentencesOfWork(found.server.systemUUID, { rest, terminal });
  const [about = '', ...others] = found.sentences;
  const explained = { ...found, sentences: [about, ...work, ...others] };
  terminal.out(renderShown({ value: explained, text: () => formatExplanation(explained) }, output));
}

/** Work on the machine that has not ended: whatever is declared, that goes on. */
async function sentencesOfWork(
  machine: string | undefined,
  { rest, terminal }: Pick<WhyServerParts, 'rest' | 'terminal'>,
): Promise<readonly string[]> {
  if (rest === undefined || machine === undefined) return [];
  try {
    const work = await readWork(rest, { machines: new Set([machine.toLowerCase()]), most: 20 });
    return work.filter(({ finalized_at: end }) => end === null).map(sentenceOfWork);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`Warning: work of the engine is not looked at: ${error.message}\n`);
    return [];
  }
}

function oneOf(word: string, subjects: readonly PlanSubject[]): PlanSubject {
  const [first, second] = subjects;
  if (first !== undefined && second === undefined) return first;
  const names = subjects.map(({ server, serverFirmware }) =>
    serverFirmware === undefined || serverFirmware === server ? server : `${serverFirmware} (about ${server})`,
  );
  throw new CliError('failed', `"${word}" means several: ${names.join(', ')}; name one of them`);
}

/** What was told of the Server, its ServerFirmware and its BMC. */
async function eventsOf(
  subject: PlanSubject,
  facts: PlanFacts,
  { session, terminal }: { readonly session: Session; readonly terminal: Terminal },
): Promise<ToldEvent[]> {
  const server = facts.servers.find(({ metadata }) => metadata.name === subject.server);
  const firmware = facts.firmwares.find(({ metadata }) => metadata.name === subject.serverFirmware);
  const bmc = facts.bmcs.find(({ metadata }) => metadata.name === server?.spec.bmcRef?.name);
  const objects = [
    { kind: 'Server', object: server },
    { kind: 'ServerFirmware', object: firmware },
    { kind: 'BMC', object: bmc },
  ];
  try {
    const lists = await Promise.all(objects.map(({ kind, object }) => toldOf(kind, object, session)));
    return lists.flat().toSorted((a, b) => (a.lastSeen < b.lastSeen ? -1 : 1));
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== 'Forbidden') throw error;
    terminal.err(`Warning: events are not shown: ${error.message}\n`);
    return [];
  }
}

async function toldOf(
  kind: string,
  object: Pick<KubeObject, 'metadata'> | undefined,
  session: Session,
): Promise<ToldEvent[]> {
  if (object?.metadata?.uid === undefined) return [];
  const events = await readEvents(object, session);
  return events.map((event) => ({
    about: `${kind}/${object.metadata?.name ?? ''}`,
    type: event.type ?? '',
    reason: event.reason ?? '',
    message: event.message ?? '',
    count: event.count ?? 1,
    lastSeen: timeOf(event),
  }));
}
