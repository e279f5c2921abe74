import { type Static, Type } from 'typebox';
import { AnyObject, defineRoute, type RefusedBody, type Route, Struct, Text } from '../../../rest/index.ts';
import { digestOf } from '../access/tokens.ts';
import { AgentError, isAgentError } from '../errors.ts';
import { noteHeard } from '../hearing.ts';
import { introduce } from '../introduction/introduce.ts';
import { createIntroductionReader } from '../introduction/read-introduction.ts';
import type { AgentParts } from '../parts.ts';
import { withoutSecrets } from '../provisioning/without-secrets.ts';
import type { MachineRecord } from '../records/machine-record.ts';
import { admitAgents, admitIntroductions } from './agent-access.ts';
import type { OfferedCommand } from './command-desk.ts';

/** Where agents find the endpoint on its server. */
export const agentsPath = '/agents';

const tag = 'agents';
const machineParams = { id: Text('The id that the machine got.', { maxLength: 64 }) };

const Acquaintance = Struct(
  {
    id: Type.String({ description: 'The id of the machine.' }),
    token: Type.String({ description: 'For all that follows; the last one is of no use any more.' }),
    token_seconds: Type.Integer({ description: 'It is good for so long, unless it is renewed.' }),
    wait_seconds: Type.Integer({ description: 'A question for work is left open for so long.' }),
  },
  { title: 'AgentAcquaintance', description: 'What a machine goes by from now on.' },
);

const Command = Struct(
  {
    id: Type.String({ description: 'Names it: what was done under it is not done again.' }),
    name: Type.String({ description: 'What is to be done.' }),
    params: AnyObject('With what.'),
  },
  { title: 'AgentCommand', description: 'What an agent is to do.' },
);

const Report = Struct(
  {
    status: Type.Union([Type.Literal('RUNNING'), Type.Literal('SUCCEEDED'), Type.Literal('FAILED')], {
      description: 'How it is, or how it went.',
    }),
    result: Type.Optional(Type.Union([AnyObject('What came of it.'), Type.Null()])),
    error: Type.Optional(
      Type.Union([
        Type.Object({ message: Type.Optional(Type.String({ maxLength: 16_384, description: 'What went wrong.' })) }),
        Type.Null(),
      ]),
    ),
  },
  { title: 'AgentReport', description: 'How a command went.' },
);

/** The routes of agents. */
export function agentRoutes(parts: AgentParts): readonly Route[] {
  return [introductionRoute(parts), workRoute(parts), reportRoute(parts), tokenRoute(parts)];
}

function introductionRoute(parts: AgentParts): Route {
  const readIntroduction = createIntroductionReader();
  return defineRoute({
    method: 'POST',
    path: agentsPath,
    operation: 'introduceMachine',
    summary: 'Introduces the machine that an agent runs on.',
    tag,
    access: 'public',
    admit: admitIntroductions(parts),
    maxBodyBytes: parts.limits.bodyBytes,
    onRefusedBody: (refused) => tellOfBody(parts, refused, 'an introduction'),
    body: AnyObject('The inventory, in the form of that of the agent of Ironic, and proof of an earlier id.'),
    answers: { 200: Acquaintance, 201: Acquaintance },
    refusals: { 401: 'Without the boot token.', 409: 'One of its MACs is in use.', 429: 'Too many of them.' },
    async handle({ body, user }) {
      const { id, token, isNew } = await introduce(parts, check(body, user?.name ?? ''), user?.name ?? '');
      return { status: isNew ? 201 : 200, body: acquaintance(parts, { id, token }) };
    },
  });

  function check(body: unknown, peer: string) {
    try {
      return readIntroduction(body);
    } catch (error) {
      if (isAgentError(error, 'badInventory')) {
        parts.count.refused('inventory');
        const why = error.problems?.[0] ?? error.message;
        const reason = `a machine at ${peer} has sent an inventory that is none: ${why.slice(0, 160)}`;
        parts.refusals.add({ mac: peer, macs: [], reason });
      }
      throw error;
    }
  }
}

/** What cannot even be read is told of by the address that it came from: there is nothing else to know it by. */
function tellOfBody(parts: AgentParts, { peer, message }: RefusedBody, what: string): void {
  parts.count.refused('body');
  const why = message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 160);
  const reason = `somebody at ${peer} has sent ${what} that cannot be taken: ${why}`;
  const isFirst = parts.refusals.add({ mac: peer, macs: [], reason });
  if (isFirst) parts.logger.warn('a body was refused', { peer, reason: why });
}

function acquaintance({ times }: AgentParts, known: { readonly id: string; readonly token: string }) {
  const { id, token } = known;
  return { id, token, token_seconds: times.tokenMs / 1000, wait_seconds: times.waitMs / 1000 };
}

function workRoute(parts: AgentParts): Route {
  const most = parts.times.waitMs / 1000;
  return defineRoute({
    method: 'GET',
    path: `${agentsPath}/:id/command`,
    operation: 'askForCommand',
    summary: 'Asks what to do; the same command is told until its end was.',
    tag,
    access: 'public',
    admit: admitAgents(parts),
    params: Struct(machineParams),
    query: Struct({
      wait: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 3600,
          default: 0,
          description: 'Leave the question open for so many seconds.',
        }),
      ),
    }),
    answers: { 200: Command, 204: Type.String({ description: 'Nothing.' }) },
    refusals: { 401: 'Without the token of that machine.', 410: 'It was taken out.', 429: 'Too many of them.' },
    async handle({ params: { id }, query: { wait = 0 }, signal }) {
      await noteHeard(parts, id);
      const offer = await parts.desk.next(id, { waitMs: Math.min(wait, most) * 1000, signal });
      const command = offer === undefined ? undefined : await handOut(parts, id, offer);
      if (command === undefined) return { status: 204, body: '' };
      return { status: 200, body: { id: command.id, name: command.name, params: command.params } };
    },
  });
}

/**
 * A command that lies on the desk, if it is still what the machine is to do. Another process may have ended or taken back
 * what lies here, and what it tells in confidence may be the last user's.
 */
async function handOut(
  { records, desk, clock, times }: AgentParts,
  id: string,
  offer: OfferedCommand,
): Promise<OfferedCommand | undefined> {
  let isOpen = false;
  await records.change(id, (now) => {
    const { work, host } = now;
    isOpen = work?.command.id === offer.id && work.command.end === undefined && host !== undefined;
    if (work === undefined || clock.now() - work.command.givenAtMs >= times.commandMs) isOpen = false;
    if (!isOpen || work === undefined || work.command.isTold === true) return undefined;
    const { isUnseen: _, ...seen } = work;
    return { ...now, work: { ...seen, command: { ...work.command, isTold: true } } };
  });
  if (isOpen) return offer;
  desk.withdraw(id, offer.id);
  return undefined;
}

function reportRoute(parts: AgentParts): Route {
  return defineRoute({
    method: 'PUT',
    path: `${agentsPath}/:id/command/:command`,
    operation: 'reportCommand',
    summary: 'Tells how a command goes or went; telling it again changes nothing.',
    tag,
    access: 'public',
    admit: admitAgents(parts),
    maxBodyBytes: parts.limits.bodyBytes,
    onRefusedBody: (refused) => tellOfBody(parts, refused, `a report of ${refused.user?.name ?? ''}`),
    params: Struct({ ...machineParams, command: Text('The id of the command.', { maxLength: 64 }) }),
    body: Report,
    answers: { 200: Struct({ id: Type.String({ description: 'The id of the command.' }) }) },
    refusals: { 401: 'Without the token of that machine.', 404: 'No such command.', 410: 'It was taken out.' },
    async handle({ params: { id, command }, body }) {
      await noteHeard(parts, id);
      await takeReport(parts, { id, command, report: body });
      return { status: 200, body: { id: command } };
    },
  });
}

const keptEnds = 8;

async function takeReport(
  { records, desk }: AgentParts,
  told: { readonly id: string; readonly command: string; readonly report: Static<typeof Report> },
): Promise<void> {
  const { id, command, report } = told;
  let isKnown = false;
  await records.change(id, (now) => {
    isKnown = now.work?.command.id === command || now.ended?.includes(command) === true;
    return isKnown && report.status !== 'RUNNING' ? withEnd(now, command, failureIn(report)) : undefined;
  });
  if (!isKnown) throw new AgentError('noSuchCommand', { command });
  if (report.status !== 'RUNNING') desk.withdraw(id, command);
}

function withEnd(now: MachineRecord, command: string, failure: string | undefined): MachineRecord | undefined {
  const { work } = now;
  if (work === undefined || work.command.id !== command || work.command.end !== undefined) return undefined;
  const end = failure === undefined ? {} : { failure };
  const ended = [...(now.ended ?? []), command].slice(-keptEnds);
  return { ...now, ended, work: { ...work, command: { ...work.command, end } } };
}

/** In its own words, but short and on one line. */
function failureIn({ status, error }: Static<typeof Report>): string | undefined {
  if (status !== 'FAILED') return undefined;
  const words = withoutSecrets((error?.message ?? '').replaceAll(/\p{Cc}+/gu, ' ')).trim();
  return words === '' ? 'its agent did not say why' : words.slice(0, 500);
}

function tokenRoute(parts: AgentParts): Route {
  return defineRoute({
    method: 'POST',
    path: `${agentsPath}/:id/token`,
    operation: 'renewAgentToken',
    summary: 'Gives the agent another token; the one before is good until that was used.',
    tag,
    access: 'public',
    admit: admitAgents(parts),
    maxBodyBytes: 1024,
    onRefusedBody: (refused) => tellOfBody(parts, refused, `a request of ${refused.user?.name ?? ''}`),
    params: Struct(machineParams),
    answers: { 200: Acquaintance },
    refusals: { 401: 'Without the token of that machine.', 410: 'It was taken out.' },
    async handle({ params: { id } }) {
      const token = parts.seal.newToken(id);
      const expiresAtMs = parts.clock.now() + parts.times.tokenMs;
      await parts.records.change(id, (now) => {
        const earlier = now.token?.isRenewal === true ? (now.token.earlier ?? now.token.digest) : now.token?.digest;
        return { ...now, token: { digest: digestOf(token), expiresAtMs, earlier, isRenewal: true } };
      });
      return { status: 200, body: acquaintance(parts, { id, token }) };
    },
  });
}
