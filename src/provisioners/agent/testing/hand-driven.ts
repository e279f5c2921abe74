import assert from 'node:assert/strict';
import type { HostIdentity, Outcome, Provisioner } from '../../provisioner.ts';
import { type AgentAnswer, hostOf, inventoryOf, type StartedAgents } from './started-agents.ts';

/** For tests: an agent that does what a test makes it do, and the host that has its machine. */
export interface HandDriven {
  readonly id: string;
  /** The one of its first introduction. */
  readonly token: string;
  readonly host: HostIdentity;
  readonly provisioner: Provisioner;
  /** Introduces the machine; `more` is beside its inventory. */
  introduce(more?: object): Promise<AgentAnswer>;
  /** Asks for work, without waiting. */
  ask(token?: string): Promise<AgentAnswer>;
  /** Tells that a command has ended well. */
  end(command: AgentAnswer, token?: string): Promise<AgentAnswer>;
  provision(isRetry?: boolean): Promise<Outcome>;
  deprovision(isRetry?: boolean): Promise<Outcome>;
  /** Has its image written, and runs it. */
  deploy(token?: string): Promise<void>;
}

/** For tests: what such machines are to be provisioned with. */
export const handOrder = {
  ...{ isRetry: false, isForced: false, config: { userData: '#cloud-config\n' } },
  deployment: { image: { url: 'http://127.0.0.1/image.raw', checksum: 'a'.repeat(64) }, bootMode: 'UEFI' },
} as const;

/** For tests: introduces the machine of that number, and makes it the one of a host. */
export async function handDriven(started: StartedAgents, number: number): Promise<HandDriven> {
  const introduce = (more: object = {}) => started.introduce({ ...inventoryOf(number), ...more });
  const { body } = await introduce();
  const [id, first] = [String(body.id), String(body.token)];
  const host = hostOf(number, id);
  const provisioner = started.agents.provisioners.of(host);
  assert.deepEqual(await provisioner.importHost?.({ isRetry: false }), { kind: 'done', value: { id } });
  const ask = (token = first) => started.ask('GET', `/${id}/command`, { token });
  const end = (command: AgentAnswer, token = first) =>
    started.ask('PUT', `/${id}/command/${String(command.body.id)}`, { token, body: { status: 'SUCCEEDED' } });
  const provision = (isRetry = false) => provisioner.provision({ ...handOrder, isRetry });
  const deploy = async (token = first): Promise<void> => {
    for (const name of ['standby.prepare_image', 'standby.run_image']) {
      assert.equal((await provision()).kind, 'continue');
      const command = await ask(token);
      assert.equal(command.body.name, name);
      assert.equal((await end(command, token)).status, 200);
    }
    assert.equal((await provision()).kind, 'done');
  };
  const deprovision = (isRetry = false) => provisioner.deprovision({ isRetry, cleaningMode: 'metadata' });
  return { id, token: first, host, provisioner, introduce, ask, end, provision, deprovision, deploy };
}
