import { randomUUID } from 'node:crypto';
import { digestOf, isTokenOf } from '../access/tokens.ts';
import { AgentError } from '../errors.ts';
import type { AgentParts } from '../parts.ts';
import type { MachineRecord } from '../records/machine-record.ts';
import type { MachineChange } from '../records/machine-records.ts';
import { type Judgement, judgeIntroduction } from './judge-introduction.ts';
import type { ReadIntroduction } from './read-introduction.ts';

/** What an agent gets for its introduction. */
export interface Introduced {
  readonly id: string;
  readonly token: string;
  readonly isNew: boolean;
}

interface Decided extends MachineChange {
  readonly judgement: Judgement;
  /** The one of `put`. */
  readonly token?: string;
}

/** Takes a machine in, or back; throws where it is taken for somebody else. */
export async function introduce(parts: AgentParts, introduction: ReadIntroduction, peer: string): Promise<Introduced> {
  const { records, clock, times } = parts;
  const newId = `agent-${randomUUID()}`;
  const now = clock.now();
  const circumstances = { isHeard: (machine: MachineRecord) => parts.hearing.isHeard(machine) };
  const { decided, crowdedOut } = await records.settle(introduction, (known): Decided => {
    const proven = known.find((machine) => isProof(introduction, machine))?.id;
    const judgement = judgeIntroduction(introduction, known, { ...circumstances, proven });
    if (judgement.kind === 'refused') return { judgement };
    const before = judgement.kind === 'again' ? judgement.machine : undefined;
    const { macs, bootMac, details } = introduction;
    const token = parts.seal.newToken(before?.id ?? newId);
    const put: MachineRecord = {
      ...(before ?? { id: newId, use: 'unused' }),
      ...{ macs, bootMac: before?.host === undefined ? bootMac : before.bootMac, serialNumber: details.serialNumber },
      ...{ introducedAtMs: now, heardAtMs: now, startedAtMs: undefined },
      token: { digest: digestOf(token), expiresAtMs: now + times.tokenMs, earlier: before?.token?.digest },
    };
    return { judgement, token, put, details, forget: judgement.forget };
  });
  const { judgement, put, token } = decided;
  if (judgement.kind === 'refused' || put === undefined || token === undefined)
    throw refused(parts, { judgement, introduction, peer });
  parts.desk.dismiss(put.id);
  parts.hearing.hear(put.id);
  parts.refusals.settle([...introduction.macs, peer]);
  const outcome = judgement.kind;
  parts.count.introduced(outcome);
  if (crowdedOut > 0) parts.count.crowdedOut(crowdedOut);
  parts.logger.info('a machine introduced itself', { machine: put.id, mac: put.bootMac, peer, outcome });
  return { id: put.id, token, isNew: outcome === 'new' };
}

/** Either of its last two tokens: the answer with the last one may have been lost. */
function isProof({ earlier }: ReadIntroduction, { id, token }: MachineRecord): boolean {
  if (earlier === undefined || earlier.id !== id || token === undefined) return false;
  const digests = [token.digest, ...(token.earlier === undefined ? [] : [token.earlier])];
  return digests.map((digest) => isTokenOf(earlier.token, digest)).includes(true);
}

function refused(
  parts: AgentParts,
  what: { readonly judgement: Judgement; readonly introduction: ReadIntroduction; readonly peer: string },
): AgentError {
  const { judgement, introduction, peer } = what;
  if (judgement.kind !== 'refused') throw new TypeError('only what was refused has a refusal');
  const { mac, machine, reason } = judgement;
  parts.count.refused('mac-in-use');
  const host = machine.host === undefined ? undefined : `${machine.host.namespace}/${machine.host.name}`;
  const message = `a machine at ${peer} has the MAC ${mac} of ${machine.id}${host === undefined ? '' : ` (host ${host})`}, and ${reason}`;
  const isFirst = parts.refusals.add({ mac, macs: introduction.macs, reason: message });
  if (isFirst) parts.logger.warn('an introduction was refused', { mac, machine: machine.id, host, peer, reason });
  return new AgentError('macInUse', { mac }, { headers: { 'retry-after': '30' } });
}
