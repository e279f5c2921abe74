import assert from 'node:assert/strict';
import type {
  FirmwareSchema,
  HostFirmwareComponents,
  HostFirmwareSettings,
  HostUpdatePolicy,
} from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { Ironic, IronicNode } from '../../real/ironic/ironic.ts';
import { until } from '../../real/ironic/until.ts';
import { runCli } from '../cli-fixture.ts';
import { type HostDiary, patienceMs, type SeenHost } from '../hosts/host-diary.ts';
import type { InstallService } from './install-service.ts';
import type { LiveMachine, Offer } from './live-machine.ts';
import type { LivePlane } from './live-plane.ts';

/** What a stage is made of. */
export interface LiveParts {
  readonly namespace: string;
  readonly machine: LiveMachine;
  readonly plane: LivePlane;
  readonly diary: HostDiary;
  /** What the host runs. */
  readonly imageUrl: string;
  /** Undefined where hosts are looked after without it. */
  readonly ironic?: Ironic | undefined;
  /** Where hosts are looked after without Ironic, what is to know their machines and images. */
  readonly install?: InstallService | undefined;
  /** Restarts what does the update, in the middle of it. */
  interrupt(): Promise<void>;
}

const metal3 = (resource: string, kind: string) =>
  ({ group: 'metal3.io', version: 'v1alpha1', namespaced: true, resource, kind }) as const;

/** The annotation that asks for one reboot. */
export const rebootOnce = 'reboot.metal3.io';

/** Where one host is updated while it is in use: what is done to it, and what can be seen of it. */
export class LiveStage {
  readonly parts: LiveParts;
  readonly key: { readonly namespace: string; readonly name: string };

  constructor(parts: LiveParts) {
    this.parts = parts;
    this.key = { namespace: parts.namespace, name: parts.machine.name };
  }

  get #client() {
    return this.parts.diary.client;
  }

  get hosts() {
    return this.#client.resource<SeenHost>(metal3('baremetalhosts', 'BareMetalHost'));
  }

  get policies() {
    return this.#client.resource<HostUpdatePolicy & KubeObject>(metal3('hostupdatepolicies', 'HostUpdatePolicy'));
  }

  get settings() {
    const ref = metal3('hostfirmwaresettings', 'HostFirmwareSettings');
    return this.#client.resource<HostFirmwareSettings & KubeObject>(ref);
  }

  get components() {
    const ref = metal3('hostfirmwarecomponents', 'HostFirmwareComponents');
    return this.#client.resource<HostFirmwareComponents & KubeObject>(ref);
  }

  get schemas() {
    return this.#client.resource<FirmwareSchema & KubeObject>(metal3('firmwareschemas', 'FirmwareSchema'));
  }

  /** Runs a command against the API server, as people do. */
  async cli(words: readonly string[], input = ''): Promise<string> {
    const { plane, namespace } = this.parts;
    const ran = await runCli([...words, '--kubeconfig', plane.kubeconfig, '-n', namespace], { input });
    assert.equal(ran.code, 0, `${words.join(' ')}: ${ran.err}`);
    return ran.out;
  }

  async apply(...items: readonly object[]): Promise<void> {
    await this.cli(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  /** Allows live updates of the host. */
  allow(): Promise<void> {
    const spec = { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' };
    return this.apply({ apiVersion: 'metal3.io/v1alpha1', kind: 'HostUpdatePolicy', metadata: this.key, spec });
  }

  async wantSettings(settings: Readonly<Record<string, string>>): Promise<void> {
    // What was wanted before is replaced, not added to.
    await this.settings.patch(this.key, { type: 'json', operations: [replace('/spec/settings', settings)] });
  }

  async wantUpdates(...offers: readonly Offer[]): Promise<void> {
    for (const offer of offers) await this.parts.install?.publish(offer);
    const updates = offers.map(({ url }) => ({ component: 'bios', url }));
    await this.components.patch(this.key, { type: 'json', operations: [replace('/spec/updates', updates)] });
  }

  async reboot(): Promise<void> {
    await this.cli(['annotate', 'bmh', this.key.name, `${rebootOnce}=`]);
  }

  mark(): number {
    return this.parts.diary.mark(this.key.name);
  }

  latest(): SeenHost | undefined {
    return this.parts.diary.latest(this.key.name);
  }

  since(mark: number): readonly SeenHost[] {
    return this.parts.diary.since(this.key.name, mark);
  }

  /** Waits until it was so in any version since a mark: what lasted for a moment only counts too. */
  untilSince(mark: number, what: string, isSo: (host: SeenHost) => boolean): Promise<SeenHost> {
    return this.wait(what, async () => this.since(mark).find(isSo));
  }

  wait<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const detail = (): string => `${JSON.stringify(this.latest()?.status, null, 1)}\n${this.detail()}`;
    return until({ what: `${this.key.namespace}/${this.key.name}: ${what}`, timeoutMs: patienceMs, look, detail });
  }

  detail(): string {
    return `${this.parts.plane.printed().slice(-4000)}\n${this.parts.ironic?.tail() ?? ''}`;
  }

  /** Waits until something was told so many times, and not once more. */
  async untilTold(reason: string, times: number): Promise<void> {
    const { diary } = this.parts;
    await this.wait(`the event ${reason}`, async () => {
      const count = (await diary.events(this.key.name)).get(reason) ?? 0;
      assert.ok(count <= times, `${reason} was told ${count} times instead of ${times}`);
      return count === times ? true : undefined;
    });
  }

  /** The node of the host; undefined where there is none, and without an Ironic. */
  async node(): Promise<IronicNode | undefined> {
    const { ironic } = this.parts;
    if (ironic === undefined) return undefined;
    const answer = (await ironic.api('GET', '/v1/nodes?detail=True')) as { nodes: readonly IronicNode[] };
    return answer.nodes.find(({ name }) => name === `${this.key.namespace}~${this.key.name}`);
  }
}

function replace(path: string, value: unknown) {
  return { op: 'add', path, value } as const;
}

/** What a condition of a host says, in short. */
export function conditionOf(host: SeenHost | undefined, type: string): string {
  const found = host?.status?.conditions?.find((each) => each.type === type);
  return `${found?.status} ${found?.reason}`;
}
