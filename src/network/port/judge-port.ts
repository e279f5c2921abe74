import {
  type PortOfSwitch,
  type Switch,
  type SwitchPortConfiguration,
  type SwitchResourceLimit,
  userLimitName,
} from '../../api/index.ts';
import { formatKey } from '../../kube/index.ts';
import {
  formatVlans,
  noVlans,
  type PortSettings,
  parseVlans,
  settingsOfSpec,
  type VlanSet,
  vlanSetOf,
  withoutVlans,
} from '../../switches/index.ts';
import type { NetworkErrorCode, NetworkFault } from '../errors.ts';
import type { PortClaim } from '../fabric/claims.ts';
import { type FullReference, isSameReference, nameOf, namespaceOf } from '../fabric/references.ts';

/** A configuration that somebody wants on a port, and everything that has a say in whether it may be. */
export interface PortRequest {
  /** The Switch that lists the port. */
  readonly owner: Switch | undefined;
  readonly entry: PortOfSwitch | undefined;
  readonly claim: PortClaim | undefined;
  readonly reference: FullReference;
  readonly configuration: SwitchPortConfiguration | undefined;
  /** The limit of the tenant. */
  readonly limit: SwitchResourceLimit | undefined;
  /** The port that the switch is managed through, where that is known. */
  readonly managementPort: string | undefined;
}

/** What came of looking at a request. */
export type PortJudgement =
  | { readonly kind: 'allowed'; readonly settings: PortSettings }
  | { readonly kind: 'refused'; readonly fault: NetworkFault };

/** A step of the judgement: what is wrong, or nothing. */
type Check = (request: PortRequest, settings: PortSettings) => NetworkFault | undefined;

/**
 * The steps in the order of the document: the configuration against the switch's port, then against the tenant's
 * limit. Credentials come after, with the switch itself.
 */
const checks: readonly Check[] = [
  checkPortName,
  checkReference,
  checkPortDisabled,
  checkManagementPort,
  checkTrunk,
  checkVlanRange,
  checkTenantLimit,
];

/** Judges a request; the first thing that is wrong is told. Pure. */
export function judgePort(request: PortRequest): PortJudgement {
  const { configuration, reference, owner, entry } = request;
  if (owner === undefined) return refused('SwitchNotFound', 'no Switch of its namespace lists this port');
  if (entry === undefined) {
    return refused('PortNotListed', `the Switch ${nameOf(owner)} does not list this port any more`);
  }
  const name = formatKey(reference);
  if (configuration === undefined)
    return refused('ConfigurationNotFound', `there is no SwitchPortConfiguration ${name}`);
  const read = settingsOfSpec(configuration.spec);
  if (read.kind === 'bad') {
    return refused('ConfigurationInvalid', `the SwitchPortConfiguration ${name} is wrong: ${read.problems.join('; ')}`);
  }
  for (const check of checks) {
    const fault = check(request, read.settings);
    if (fault !== undefined) return { kind: 'refused', fault };
  }
  return { kind: 'allowed', settings: read.settings };
}

function refused(code: NetworkErrorCode, message: string): PortJudgement {
  return { kind: 'refused', fault: { code, message } };
}

/** The VLANs that settings make a port carry. */
export function vlansOf({ untaggedVlan, taggedVlans }: PortSettings): VlanSet {
  return vlanSetOf([...taggedVlans, ...(untaggedVlan === undefined ? [] : [untaggedVlan])]);
}

// As switches/ has it: nothing that a shell, YAML, Jinja or a command line could take for more than a name.
const portName = /^[A-Za-z0-9](?:[A-Za-z0-9._:/+@-]| (?=[0-9]))*$/;

/** True for a text that can be the name of a port of a switch. */
export function isPortName(name: string): boolean {
  return name.length <= 128 && portName.test(name);
}

function checkPortName({ entry, owner }: PortRequest): NetworkFault | undefined {
  if (entry === undefined || isPortName(entry.name)) return undefined;
  const where = owner === undefined ? 'its Switch' : `the Switch ${nameOf(owner)}`;
  return {
    code: 'PortNameInvalid',
    message: `${where} gives it a name that no port has: letters, digits and . _ : / + @ - are allowed`,
  };
}

/** The tenant of a port: the namespace of its host, else that of the Switch. */
export function tenantOf({ owner, claim }: Pick<PortRequest, 'owner' | 'claim'>): string {
  return claim?.host.namespace ?? (owner === undefined ? '' : namespaceOf(owner));
}

/** True when the configuration comes from the infra team: its provisioning network is not the tenant's to pay for. */
export function isInfraConfiguration({ owner, claim, reference }: Omit<PortRequest, 'entry'>): boolean {
  return (
    owner !== undefined &&
    reference.namespace === namespaceOf(owner) &&
    (claim === undefined ||
      claim.host.namespace === namespaceOf(owner) ||
      isSameReference(claim.provisioning, reference))
  );
}

/** Configurations stay in the namespace of the tenant, except for what the infra team wants while provisioning. */
function checkReference(request: PortRequest): NetworkFault | undefined {
  const { reference, claim } = request;
  const tenant = tenantOf(request);
  if (reference.namespace === tenant || isSameReference(claim?.provisioning, reference)) return undefined;
  const why =
    claim === undefined
      ? `no host is plugged into the port, so only configurations of ${tenant} can be linked to it`
      : `the port belongs to the host ${formatKey(claim.host)}, so only configurations of ${tenant} and the provisioningConfiguration of that host can be linked to it`;
  return { code: 'ConfigurationNotAllowed', message: `${formatKey(reference)} cannot be used here: ${why}` };
}

function checkPortDisabled({ entry, owner }: PortRequest): NetworkFault | undefined {
  if (entry?.disabled !== true) return undefined;
  return { code: 'PortDisabled', message: `the Switch ${nameOf(owner ?? {})} says that this port is not to be used` };
}

function checkManagementPort({ entry, managementPort }: PortRequest): NetworkFault | undefined {
  if (entry === undefined || managementPort === undefined || entry.name !== managementPort) return undefined;
  return {
    code: 'ManagementPort',
    message: `the switch is managed through ${entry.name}: a change could cut it off, so it is never made`,
  };
}

function checkTrunk({ entry }: PortRequest, { taggedVlans }: PortSettings): NetworkFault | undefined {
  if (entry?.trunkDisable !== true || taggedVlans.length === 0) return undefined;
  return {
    code: 'TrunkNotAllowed',
    message: `the port cannot be a trunk, and the configuration has tagged VLANs (${formatVlans(taggedVlans)})`,
  };
}

function checkVlanRange({ entry, owner }: PortRequest, settings: PortSettings): NetworkFault | undefined {
  const may = parseVlans(entry?.vlanRange ?? '1-4094');
  if (may === undefined) {
    const message = `the vlanRange of this port in the Switch ${nameOf(owner ?? {})} is no list of VLANs`;
    return { code: 'VLANNotAllowedOnPort', message };
  }
  const beyond = withoutVlans(vlansOf(settings), may);
  if (beyond.length === 0) return undefined;
  return {
    code: 'VLANNotAllowedOnPort',
    message: `the port may carry VLANs ${formatVlans(may)}, and the configuration has ${formatVlans(beyond)}`,
  };
}

function checkTenantLimit(request: PortRequest, settings: PortSettings): NetworkFault | undefined {
  const tenant = tenantOf(request);
  const { owner, limit } = request;
  if (isInfraConfiguration(request) || owner === undefined || tenant === namespaceOf(owner)) return undefined;
  const used = vlansOf(settings);
  if (used.length === 0) return undefined;
  if (limit === undefined) {
    const message = `the namespace ${tenant} has no SwitchResourceLimit ${userLimitName}, so it may use no VLAN, and the configuration has ${formatVlans(used)}`;
    return { code: 'NoResourceLimit', message };
  }
  const beyond = withoutVlans(used, allowedVlans(limit));
  if (beyond.length === 0) return undefined;
  const range = formatVlans(allowedVlans(limit)) || 'none';
  return {
    code: 'VLANOutsideLimit',
    message: `the namespace ${tenant} may use VLANs ${range}, and the configuration has ${formatVlans(beyond)}`,
  };
}

/** The VLANs that a limit allows; one that cannot be read allows none. */
export function allowedVlans({ spec }: SwitchResourceLimit): VlanSet {
  return spec.vlanRange === undefined ? noVlans : (parseVlans(spec.vlanRange) ?? noVlans);
}
