import assert from 'node:assert/strict';
import type { Ironic, IronicNode } from '../../real/ironic/ironic.ts';
import { until } from '../../real/ironic/until.ts';
import { runCli } from '../cli-fixture.ts';
import type { BenchMachine, Login } from './host-bench.ts';
import { type HostDiary, patienceMs, type SeenHost, stateOf, untilHost } from './host-diary.ts';
import type { HostPlane } from './host-plane.ts';
import type { Meeting } from './meeting.ts';

/** What a stage is made of. */
export interface StageParts {
  readonly namespace: string;
  readonly machines: readonly BenchMachine[];
  readonly plane: HostPlane;
  readonly diary: HostDiary;
  readonly ironic: Ironic;
  readonly meeting: Meeting;
  /** Resolves when Ironic, which was stopped, was away long enough and is back. */
  outage(): Promise<void>;
}

/** Where the steps of the life of hosts are played: what they do to hosts, and what they can see of them. */
export class HostStage {
  readonly parts: StageParts;

  constructor(parts: StageParts) {
    this.parts = parts;
  }

  /** Runs a command against the API server. */
  run(words: readonly string[], input = '') {
    const { plane, namespace } = this.parts;
    return runCli([...words, '--kubeconfig', plane.kubeconfig, '-n', namespace], { input });
  }

  /** The same for one that must not fail; gives what it printed. */
  async cli(words: readonly string[], input = ''): Promise<string> {
    const { code, out, err } = await this.run(words, input);
    assert.equal(code, 0, `${words.join(' ')}: ${err}`);
    return out;
  }

  async apply(...items: readonly object[]): Promise<void> {
    await this.cli(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  /** Takes a step with all machines side by side; what one has against it is told when all have ended. */
  async onEach(step: (machine: BenchMachine) => Promise<void>): Promise<void> {
    const all = await Promise.allSettled(this.parts.machines.map(step));
    for (const each of all) if (each.status === 'rejected') throw each.reason;
  }

  /** The host of a machine as its owner writes it. */
  hostOf({ name, spec: { bmc, ...spec } }: BenchMachine, more: object = {}): object {
    return {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { name, namespace: this.parts.namespace },
      spec: {
        online: true,
        // Nothing boots on an emulated machine, so that there is no agent that could clean it.
        automatedCleaningMode: 'disabled',
        ...spec,
        bmc: { ...bmc, credentialsName: `${name}-bmc` },
        ...more,
      },
    };
  }

  /** The credentials of a machine, those of its BMC unless others are given. */
  secretOf(machine: BenchMachine, login: Login = machine.login()): object {
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${machine.name}-bmc`, namespace: this.parts.namespace },
      stringData: { ...login },
    };
  }

  detail(): string {
    const { plane, ironic } = this.parts;
    return `${plane.printed().slice(-4000)}\n${ironic.tail()}`;
  }

  mark({ name }: BenchMachine): number {
    return this.parts.diary.mark(name);
  }

  states({ name }: BenchMachine, mark: number): readonly string[] {
    return this.parts.diary.states(name, mark);
  }

  untilSo({ name }: BenchMachine, what: string, isSo: (host: SeenHost) => boolean): Promise<SeenHost> {
    return untilHost(this.parts.diary, name, { what, isSo, detail: () => this.detail() });
  }

  /** Waits until a host is in a state without an error, having been in another one since the mark. */
  untilMoved(machine: BenchMachine, mark: number, state: string): Promise<SeenHost> {
    const isThere = (host: SeenHost): boolean => stateOf(host) === state && host.status?.errorMessage === '';
    const hasMoved = (): boolean => this.states(machine, mark).length > 1;
    return this.untilSo(machine, `the state ${state}`, (host) => isThere(host) && hasMoved());
  }

  /** Waits until its power is as it should be, and asks its BMC whether that is so. */
  async untilPowered(machine: BenchMachine, isOn: boolean): Promise<void> {
    await this.untilSo(machine, isOn ? 'power on' : 'power off', ({ status }) => status?.poweredOn === isOn);
    assert.equal(await machine.isPoweredOn(), isOn, 'the BMC says something else');
  }

  /** Waits until something was told so many times, and not once more. */
  async untilTold(machine: BenchMachine, reason: string, times: number): Promise<void> {
    await until({
      what: `${machine.name}: the event ${reason}`,
      timeoutMs: patienceMs,
      everyMs: 300,
      look: async () => {
        const count = (await this.parts.diary.events(machine.name)).get(reason) ?? 0;
        assert.ok(count <= times, `${machine.name}: ${reason} was told ${count} times instead of ${times}`);
        return count === times ? true : undefined;
      },
    });
  }

  condition({ name }: BenchMachine, type: string): string {
    const found = this.parts.diary.latest(name)?.status?.conditions?.find((each) => each.type === type);
    return `${found?.status} ${found?.reason}`;
  }

  /** All that was called an error of a host since a mark. */
  errors({ name }: BenchMachine, mark: number): readonly string[] {
    return this.parts.diary.since(name, mark).flatMap(({ status }) => status?.errorMessage || []);
  }

  /** The nodes that Ironic has of the hosts of this stage. */
  async nodes(): Promise<readonly IronicNode[]> {
    const { ironic, namespace } = this.parts;
    const answer = (await ironic.api('GET', '/v1/nodes?detail=True')) as { nodes: readonly IronicNode[] };
    return answer.nodes.filter(({ name }) => name?.startsWith(`${namespace}~`));
  }

  async nodeOf({ name }: BenchMachine): Promise<IronicNode | undefined> {
    return (await this.nodes()).find((node) => node.name === `${this.parts.namespace}~${name}`);
  }

  /** The node of a host in Ironic is the one that its status names, and rests in a state. */
  async checkNode(machine: BenchMachine, state: string): Promise<IronicNode> {
    const node = await this.nodeOf(machine);
    assert.ok(node !== undefined, `${machine.name} has no node`);
    assert.equal(node.uuid, this.parts.diary.latest(machine.name)?.status?.provisioning?.ID);
    assert.deepEqual([node.provision_state, node.maintenance], [state, false]);
    return node;
  }
}
