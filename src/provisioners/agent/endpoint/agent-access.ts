import type { Asker, AuthenticatedUser } from '../../../rest/index.ts';
import { bearerIn, isTokenOf } from '../access/tokens.ts';
import type { RefusalReason } from '../counts.ts';
import { AgentError, isAgentError } from '../errors.ts';
import type { AgentParts } from '../parts.ts';
import type { MachineRecord } from '../records/machine-record.ts';

type Admit = (asker: Asker) => Promise<AuthenticatedUser>;

/** Lets in whoever has the token of the boot configuration. The name of a caller is its address. */
export function admitIntroductions(parts: AgentParts): Admit {
  return async ({ peer, authorization }) => {
    enter(parts, peer);
    const token = bearerIn(authorization);
    if (token === undefined || !parts.bootTokens.has(token)) {
      throw refusal(parts, 'boot-token', new AgentError('badBootToken', {}, { headers: challenge }));
    }
    try {
      counted(parts, () => parts.door.introduce());
    } catch (error) {
      const reason = `machines introduce themselves faster than they are taken in, the last one from ${peer}`;
      parts.refusals.add({ mac: peer, macs: [], reason });
      throw error;
    }
    return { name: peer, groups: [], scopes: [] };
  };
}

/** Lets in the agent of the machine that the path names, and nobody else. */
export function admitAgents(parts: AgentParts): Admit {
  return async ({ peer, authorization, params }) => {
    enter(parts, peer);
    const { id = '' } = params;
    const token = bearerIn(authorization);
    // Strangers do not have the store asked.
    const machine = token !== undefined && parts.seal.isOf(id, token) ? await parts.records.read(id) : undefined;
    if (token === undefined || machine === undefined || !isGood(parts, machine, token)) {
      throw refusal(parts, 'agent-token', new AgentError('badAgentToken', {}, { headers: challenge }));
    }
    if (machine.isRemoved === true) throw new AgentError('forgotten');
    if (machine.token?.earlier !== undefined && isTokenOf(token, machine.token.digest)) await confirm(parts, machine);
    return { name: id, groups: [], scopes: [] };
  };
}

const challenge = { 'www-authenticate': 'Bearer realm="rackwright-agents"' };

function enter(parts: AgentParts, peer: string): void {
  counted(parts, () => parts.door.enter(peer));
}

function counted(parts: AgentParts, pass: () => void): void {
  try {
    pass();
  } catch (error) {
    if (isAgentError(error, 'tooMany')) parts.count.refused('rate');
    throw error;
  }
}

function refusal(parts: AgentParts, reason: RefusalReason, error: AgentError): AgentError {
  parts.count.refused(reason);
  return error;
}

/** Its token, or the one before while the newer was not used: the answer with that one may have been lost. */
function isGood({ clock }: AgentParts, { token }: MachineRecord, given: string): boolean {
  if (token === undefined || token.expiresAtMs <= clock.now()) return false;
  const digests = [token.digest, ...(token.isRenewal === true && token.earlier !== undefined ? [token.earlier] : [])];
  return digests.map((digest) => isTokenOf(given, digest)).includes(true);
}

/** Once the newer token was used, the one before is good for nothing. */
async function confirm({ records }: AgentParts, { id, token: used }: MachineRecord): Promise<void> {
  await records.change(id, (now) => {
    if (now.token === undefined || now.token.digest !== used?.digest) return undefined;
    const { digest, expiresAtMs } = now.token;
    return { ...now, token: { digest, expiresAtMs } };
  });
}
