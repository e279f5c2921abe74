import { isIP } from 'node:net';
import {
  type FieldError,
  forbiddenError,
  invalidError,
  notSupportedError,
  requiredError,
  subdomainFaults,
} from '../../schema/index.ts';
import { choiceFaults } from './checks.ts';
import type { PodSpec, SecurityContext } from './pod-object.ts';

const maxId = 2_147_483_647;
const sysctlPattern = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

/** What is wrong with a pod's names, addresses and rights. */
export function settingsFaults(spec: PodSpec, path: string): FieldError[] {
  return [
    ...securityFaults(spec.securityContext ?? {}, `${path}.securityContext`),
    ...dnsFaults(spec, `${path}.dnsConfig`),
    ...hostAliasFaults(spec, `${path}.hostAliases`),
    ...classFaults(spec, path),
  ];
}

function addressFaults(address: string, path: string): FieldError[] {
  const words = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return isIP(address) === 0 ? [invalidError(path, address, words)] : [];
}

function dnsFaults({ dnsPolicy, dnsConfig }: PodSpec, path: string): FieldError[] {
  const servers = dnsConfig?.nameservers ?? [];
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [requiredError(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    const words = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    if (servers.length === 0) return [requiredError(`${path}.nameservers`, words)];
  }
  const errors: FieldError[] = [];
  if (servers.length > 3)
    errors.push(invalidError(`${path}.nameservers`, servers, 'must not have more than 3 nameservers'));
  for (const [index, server] of servers.entries())
    errors.push(...addressFaults(server, `${path}.nameservers[${index}]`));
  for (const [index, { name = '' }] of (dnsConfig?.options ?? []).entries()) {
    if (name === '') errors.push(requiredError(`${path}.options[${index}]`, 'must not be empty'));
  }
  return errors;
}

function hostAliasFaults({ hostAliases = [] }: PodSpec, path: string): FieldError[] {
  return hostAliases.flatMap(({ ip = '', hostnames = [] }, index) => [
    ...addressFaults(ip, `${path}[${index}].ip`),
    ...hostnames.flatMap((name, at) =>
      subdomainFaults(name).map((fault) => invalidError(`${path}[${index}].hostnames[${at}]`, name, fault)),
    ),
  ]);
}

function classFaults(spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const runtime = spec.runtimeClassName;
  if (runtime !== undefined) {
    for (const fault of subdomainFaults(runtime)) errors.push(invalidError(`${path}.runtimeClassName`, runtime, fault));
  }
  const preemption = ['PreemptLowerPriority', 'Never'];
  if (spec.preemptionPolicy !== undefined)
    errors.push(...choiceFaults(spec.preemptionPolicy, `${path}.preemptionPolicy`, preemption));
  const systems = ['linux', 'windows'];
  const system = spec.os?.name ?? '';
  if (spec.os !== undefined && system === '') errors.push(requiredError(`${path}.os.name`, 'cannot be empty'));
  else if (spec.os !== undefined && !systems.includes(system)) {
    errors.push(notSupportedError(`${path}.os`, system, systems));
  }
  return errors;
}

/** What is wrong with the rights of a pod or a container. */
export function securityFaults(context: SecurityContext, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['fsGroup', 'runAsUser', 'runAsGroup'] as const) {
    const id = context[name];
    if (id === undefined || (id >= 0 && id <= maxId)) continue;
    errors.push(invalidError(`${path}.${name}`, id, `must be between 0 and ${maxId}, inclusive`));
  }
  for (const [index, { name = '' }] of (context.sysctls ?? []).entries()) {
    if (new RegExp(sysctlPattern).test(name)) continue;
    const words = `must have at most 253 characters and match regex ${sysctlPattern}`;
    errors.push(invalidError(`${path}.sysctls[${index}].name`, name, words));
  }
  const profile = context.seccompProfile;
  if (profile !== undefined) errors.push(...profileFaults(profile, `${path}.seccompProfile`));
  return errors;
}

function profileFaults(profile: NonNullable<SecurityContext['seccompProfile']>, path: string): FieldError[] {
  const { type = '', localhostProfile } = profile;
  const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];
  if (!types.includes(type)) return [notSupportedError(`${path}.type`, type, types)];
  if (type === 'Localhost') {
    const words = 'must be set when seccomp type is Localhost';
    return localhostProfile === undefined ? [requiredError(`${path}.localhostProfile`, words)] : [];
  }
  const words = 'can only be set when seccomp type is Localhost';
  return localhostProfile === undefined ? [] : [invalidError(`${path}.localhostProfile`, localhostProfile, words)];
}

/** Containers for a look inside are added to a pod that runs, not made with it. */
export function creationFaults(spec: PodSpec, path: string): FieldError[] {
  const has = (spec.ephemeralContainers ?? []).length > 0;
  return has ? [forbiddenError(`${path}.ephemeralContainers`, 'cannot be set on create')] : [];
}
