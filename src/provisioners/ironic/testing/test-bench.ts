import type { TestContext } from 'node:test';
import { createFakeClock, type FakeClock } from '../../../kube/index.ts';
import { createDrive, type Drive } from '../../contract/index.ts';
import type { HostIdentity, Provisioner, Provisioners, ReachedHost, Registration } from '../../provisioner.ts';
import { createIronicProvisioners, type IronicOptions } from '../index.ts';
import { createFakeBmc, type FakeBmc } from './fake-bmc.ts';
import { type FakeIronic, startFakeIronic } from './fake-ironic.ts';
import type { FakeNode } from './fake-node.ts';

/** A fake Ironic with one host, and all to try things on it. */
export interface TestBench {
  readonly ironic: FakeIronic;
  readonly provisioners: Provisioners;
  readonly bmc: FakeBmc;
  readonly clock: FakeClock;
  readonly host: ReachedHost;
  readonly drive: Drive;
  at(more?: Partial<HostIdentity>): Provisioner;
  /** Registers the host and puts its node into a state. */
  node(state?: FakeNode['provision_state'], more?: Partial<FakeNode>): Promise<FakeNode>;
  /** What was asked of Ironic since the last time, without reads: `PUT /v1/nodes/x/states/provision`. */
  changes(): readonly { readonly line: string; readonly body: unknown }[];
}

/** What registering says where a test does not care. */
export const plainRegistration: Registration = {
  isRetry: false,
  haveCredentialsChanged: false,
  bootMode: 'UEFI',
  cleaningMode: 'metadata',
  isExternallyProvisioned: false,
};

/** Sets up a bench that ends with the test. */
export async function createTestBench(
  t: TestContext,
  options: Partial<IronicOptions> & { readonly newestMinor?: number } = {},
): Promise<TestBench> {
  const { newestMinor = 115, ...more } = options;
  const bmc = createFakeBmc(1);
  const ironic = await startFakeIronic({ bmcs: [bmc, createFakeBmc(2)], newestMinor });
  const clock = createFakeClock();
  const provisioners = createIronicProvisioners({ url: ironic.url, clock, random: () => 0, ...more });
  t.after(async () => {
    await provisioners.close();
    await ironic.stop();
  });
  const host = hostAt(bmc);
  const drive = createDrive(async () => {});
  const at = (changed: Partial<HostIdentity> = {}): Provisioner => provisioners.of({ ...host, ...changed });
  let seen = 0;
  return {
    ironic,
    provisioners,
    bmc,
    clock,
    host,
    drive,
    at,
    async node(state = 'manageable', members = {}) {
      await drive.done(() => at().register(plainRegistration));
      const node = ironic.node('metal3~host-1');
      Object.assign(node, { provision_state: state, ...members });
      seen = ironic.requests.length;
      return node;
    },
    changes() {
      const since = ironic.requests.slice(seen).filter(({ line }) => !line.startsWith('GET'));
      seen = ironic.requests.length;
      return since;
    },
  };
}

/** The host behind a fake BMC. */
export function hostAt(bmc: FakeBmc, name = 'host-1'): ReachedHost {
  return {
    namespace: 'metal3',
    name,
    bmc: {
      address: `redfish+${bmc.redfishAddress}${bmc.systemPath}`,
      isCertificateUnchecked: false,
      credentials: { username: bmc.username, password: bmc.password },
    },
    bootMacAddress: bmc.macs[0],
    isPowerOffDisabled: false,
  };
}

/** The provision states that were asked for, in order. */
export function targetsOf(changes: readonly { readonly line: string; readonly body: unknown }[]): readonly unknown[] {
  return changes
    .filter(({ line }) => line.endsWith('/states/provision'))
    .map(({ body }) => (body as { readonly target: unknown }).target);
}
