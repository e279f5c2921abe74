import { type JsonObject, objectOf, objectsOf } from '../client/index.ts';
import { isProvisionState, type ProvisionState } from '../node/index.ts';
import type { FakeBmc } from './fake-bmc.ts';

/** A node of the fake, in Ironic's own words. */
export interface FakeNode {
  uuid: string;
  name: string | null;
  provision_state: ProvisionState;
  target_provision_state: string | null;
  power_state: string | null;
  target_power_state: string | null;
  last_error: string | null;
  maintenance: boolean;
  maintenance_reason: string | null;
  fault: string | null;
  health: string | null;
  instance_uuid: string | null;
  automated_clean: boolean | null;
  disable_power_off: boolean;
  driver: string;
  driver_info: Record<string, unknown>;
  properties: Record<string, unknown>;
  instance_info: Record<string, unknown>;
  driver_internal_info: Record<string, unknown>;
  [more: string]: unknown;
}

/** What goes on behind the record of a node. */
export interface FakeWork {
  /** The states that it still passes, the last of them the one that it rests in. */
  states: ProvisionState[];
  /** What happens when it comes to rest. */
  atEnd: () => void;
  power: { readonly target: string } | undefined;
}

/** A new node. */
export function createFakeNode(uuid: string, body: JsonObject): FakeNode {
  return {
    name: null,
    target_provision_state: null,
    power_state: null,
    target_power_state: null,
    last_error: null,
    maintenance: false,
    maintenance_reason: null,
    fault: null,
    health: 'OK',
    instance_uuid: null,
    owner: null,
    lessee: null,
    retired: false,
    automated_clean: null,
    disable_power_off: false,
    driver: 'redfish',
    ...defaultInterfaces(String(body.driver ?? 'redfish')),
    driver_internal_info: {},
    ...body,
    driver_info: { ...objectOf(body.driver_info) },
    properties: { ...objectOf(body.properties) },
    instance_info: { ...objectOf(body.instance_info) },
    extra: { ...objectOf(body.extra) },
    provision_updated_at: null,
    uuid,
    provision_state: 'enroll',
  };
}

/** The interfaces of a driver where nobody says which. */
export function defaultInterfaces(driver: string): Readonly<Record<string, string>> {
  const agent = { deploy_interface: 'direct', boot_interface: 'ipxe', inspect_interface: 'agent' };
  switch (driver) {
    case 'fake-hardware': {
      const fakes = ['deploy', 'boot', 'power', 'management', 'raid'].map((each) => [`${each}_interface`, 'fake']);
      return { ...agent, ...Object.fromEntries(fakes) };
    }
    case 'manual-management':
      return { ...agent, power_interface: 'agent', management_interface: 'noop', raid_interface: 'no-raid' };
    default:
      return { ...agent, power_interface: driver, management_interface: driver, raid_interface: 'redfish' };
  }
}

/** The node as the API shows it: passwords are stars. */
export function shownNode(node: FakeNode): JsonObject {
  const info = Object.entries(node.driver_info).map(([name, value]) => [
    name,
    name.endsWith('_password') ? '******' : value,
  ]);
  return { ...node, driver_info: Object.fromEntries(info) };
}

/** What the node passes on its way after a request, and what comes of it. */
export function planWork(order: {
  readonly node: FakeNode;
  readonly bmc: FakeBmc | undefined;
  /** The machine whose agent is heard from. */
  readonly machine: FakeBmc | undefined;
  readonly body: JsonObject;
  readonly failure: string | undefined;
  inspected(): void;
}): Pick<FakeWork, 'states' | 'atEnd'> {
  const { node, bmc, body, failure } = order;
  const fail = (reason: string) => () => {
    node.last_error = reason;
    if (['clean failed', 'service failed'].includes(node.provision_state)) {
      node.maintenance = true;
      node.fault = node.provision_state === 'clean failed' ? 'clean failure' : 'service failure';
      node.maintenance_reason = reason;
    }
  };
  const way = (states: ProvisionState[], failed: ProvisionState, atEnd: () => void = () => {}) =>
    failure === undefined ? { states, atEnd } : { states: [...states.slice(0, -1), failed], atEnd: fail(failure) };
  switch (body.target) {
    case 'manage':
      if (node.provision_state !== 'verifying') return { states: [], atEnd: () => {} };
      if (node.power_interface === 'fake') return way(['manageable'], 'enroll');
      return canLogIn(node, bmc)
        ? way(['manageable'], 'enroll', () => {
            node.power_state = bmc?.isOn === true ? 'power on' : 'power off';
          })
        : { states: ['enroll'], atEnd: fail('Failed to get power state: access denied by the BMC') };
    case 'inspect':
      return way(['inspect wait', 'inspecting', 'manageable'], 'inspect failed', order.inspected);
    case 'provide':
      return way(
        node.automated_clean === false ? ['available'] : ['clean wait', 'cleaning', 'available'],
        'clean failed',
      );
    case 'clean':
      return way(['clean wait', 'cleaning', 'manageable'], 'clean failed', () => applySteps(bmc, body.clean_steps));
    case 'active':
      if (node.power_interface === 'fake') return fastTrack(order, way);
      return way(['wait call-back', 'deploying', 'active'], 'deploy failed', () => {
        startSystem(node, bmc);
      });
    case 'deleted':
      return way(['cleaning', 'clean wait', 'available'], 'clean failed', () => {
        node.instance_info = {};
        node.instance_uuid = null;
        node.power_state = 'power off';
        if (bmc !== undefined) bmc.isOn = false;
      });
    case 'adopt':
      return way(['active'], 'adopt failed');
    case 'service':
      return way(['service wait', 'servicing', 'active'], 'service failed', () => {
        applySteps(bmc, body.service_steps);
        startSystem(node, bmc);
      });
    case 'abort':
      node.last_error = 'aborted by request';
      return { states: [], atEnd: () => {} };
    default:
      return { states: [], atEnd: () => {} };
  }
}

/**
 * Without access to its BMC a node is deployed by the agent that it runs: that writes the image and then switches the
 * machine off. Where none is heard from Ironic waits for one that nobody boots.
 */
function fastTrack(
  { node, machine }: Parameters<typeof planWork>[0],
  way: (states: ProvisionState[], failed: ProvisionState, atEnd: () => void) => Pick<FakeWork, 'states' | 'atEnd'>,
): Pick<FakeWork, 'states' | 'atEnd'> {
  const isHeard = node.driver_internal_info.agent_url !== undefined && node.power_state === 'power on';
  if (machine === undefined || !isHeard) return { states: ['wait call-back'], atEnd: () => {} };
  return way(['deploying', 'active'], 'deploy failed', () => {
    machine.disk = String(node.instance_info.image_source);
    machine.isOn = false;
    node.driver_internal_info = {};
  });
}

/** Whether the node knows what its BMC asks for. */
export function canLogIn(node: FakeNode, bmc: FakeBmc | undefined): boolean {
  const { redfish_username, redfish_password } = node.driver_info;
  return bmc !== undefined && redfish_username === bmc.username && redfish_password === bmc.password;
}

function startSystem(node: FakeNode, bmc: FakeBmc | undefined): void {
  node.power_state = 'power on';
  if (bmc !== undefined) bmc.isOn = true;
}

function applySteps(bmc: FakeBmc | undefined, steps: unknown): void {
  for (const step of objectsOf(steps)) {
    for (const setting of objectsOf(objectOf(step.args).settings)) {
      if (step.interface === 'bios') bmc?.bios.set(String(setting.name), String(setting.value));
      // The version is the end of the address: http://files/bios-1.1.0
      else bmc?.firmware.set(String(setting.component), String(setting.url).replace(/^.*-/, ''));
    }
  }
}

/** Takes the node one state further, and its power to where it shall be. */
export function advance(node: FakeNode, work: FakeWork, bmc: FakeBmc | undefined): void {
  if (work.power !== undefined) {
    switchPower(node, bmc, work.power.target);
    work.power = undefined;
  }
  const next = work.states.shift();
  if (next === undefined) return;
  if (!isProvisionState(next)) throw new Error(`the fake has no state ${String(next)}`);
  enterState(node, next);
  if (work.states.length > 0) return;
  if (!next.endsWith('failed') && next !== 'enroll') node.target_provision_state = null;
  if (next === 'enroll') node.target_provision_state = null;
  work.atEnd();
}

/** Each state is come into at another moment. */
export function enterState(node: FakeNode, state: ProvisionState): void {
  node.provision_state = state;
  const before = Date.parse(String(node.provision_updated_at)) || 0;
  node.provision_updated_at = new Date(before + 1000).toISOString();
}

function switchPower(node: FakeNode, bmc: FakeBmc | undefined, target: string): void {
  const isOn = !target.endsWith('off');
  node.target_power_state = null;
  if (node.power_interface === 'fake') {
    node.power_state = isOn ? 'power on' : 'power off';
    return;
  }
  const isRefused =
    bmc === undefined || !canLogIn(node, bmc) || bmc.isBroken || (target.startsWith('soft') && bmc.ignoresSoftPowerOff);
  if (isRefused) {
    const aim = isOn ? 'power on' : 'power off';
    node.last_error = `Failed to change power state to '${aim}' by '${target}': timed out`;
    return;
  }
  bmc.isOn = isOn;
  node.power_state = isOn ? 'power on' : 'power off';
}
