import {
  isBmcInTheWay,
  isInTrouble,
  type ManagementProblem,
  managementProblemOf,
  readHostHealth,
} from '../../api/index.ts';
import type { Advice } from '../../firmware/index.ts';
import type { HostObject } from '../fleet/fleet-machines.ts';
import type { Beginning, ObjectSeen } from './explain-object.ts';

/** What a host in a state is waiting for. */
const waits: Readonly<Record<string, string>> = {
  '': 'It is new; the controller has not looked at it yet. Is one running that looks after hosts?',
  unmanaged: 'Nothing says how to reach its BMC: it waits for spec.bmc.',
  importing: 'It came by itself and is being taken over.',
  registering: 'It waits for its BMC: address and credentials are being tried.',
  inspecting: 'It waits until its hardware has been read.',
  preparing: 'It waits until firmware settings and RAID are as asked for.',
  available: 'It waits for somebody who wants it: no image is asked for.',
  provisioning: 'It waits until its image is written.',
  provisioned: 'Its image runs; nothing is waited for.',
  'externally provisioned': 'Somebody else has put its system there; nothing is waited for.',
  deprovisioning: 'It waits until it is cleaned.',
  'powering off before delete': 'It waits until it is off, to be deleted.',
  deleting: 'It waits until its provisioner has forgotten it.',
};

/** What to do about a kind of failure. */
const remedies: Readonly<Record<string, string>> = {
  'registration error':
    'Check spec.bmc.address, and user and password in the Secret that spec.bmc.credentialsName names.',
  'provisioned registration error': 'Check spec.bmc.address and the Secret that spec.bmc.credentialsName names.',
  'inspection error': 'See that the machine boots from its provisioning network; it is tried again by itself.',
  'preparation error':
    'Correct its HostFirmwareSettings, HostFirmwareComponents or spec.raid; it is tried again by itself.',
  'provisioning error': 'Check that spec.image.url can be fetched and that its checksum is right.',
  'power management error': 'See whether its BMC can switch it on and off; it is tried again by itself.',
  'servicing error':
    'Correct or empty the specs of its HostFirmwareSettings and HostFirmwareComponents: emptying them ends the update.',
  'network error': 'See what its switch ports wait for.',
};

/** What to do where the BMC itself is in the way: that holds for whatever failed by it. */
const bmcRemedies: Readonly<Partial<Record<ManagementProblem, string>>> = {
  'no-provisioner':
    'Start Rackwright with --provisioner redfish where its BMC is all there is, with --provisioner agent for machines that boot an agent, or with --ironic-url.',
  scheme:
    'IPMI and other protocols need an Ironic: start Rackwright with --ironic-url, or create the host anew with a redfish address in spec.bmc.address.',
  certificate:
    'Start Rackwright with --bmc-ca and the authority that signed the certificate, or set spec.bmc.disableCertificateVerification to true.',
  locked: 'Unlock the account on the BMC, or wait until the lock is over; no log-in is tried until then.',
  credentials:
    'Correct user and password in the Secret that spec.bmc.credentialsName names. No log-in is tried until they change.',
  busy: 'It is asked again by itself. If that stays so, end sessions on the BMC that nobody uses, or reset the BMC.',
  unreachable: 'See whether the BMC has power and network, and check spec.bmc.address; it is asked again by itself.',
};

/** The state of a host, why, and what it waits for. What is wrong with it comes first. */
export function explainHost({ object, network, work }: ObjectSeen, about: string): Beginning {
  const host = object as HostObject & {
    readonly spec?: { readonly image?: object; readonly online?: boolean; readonly consumerRef?: Named };
  };
  const { spec, status, metadata } = host;
  const state = status?.provisioning?.state ?? '';
  const name = metadata?.name ?? '';
  const where = `${name} -n ${metadata?.namespace ?? ''}`;
  return {
    state,
    sentences: [
      ...headlinesOf(host, about),
      waitOf(host, work),
      ...holdsOf(host),
      ...(spec?.online === undefined || spec.online === (status?.poweredOn === true) || state === ''
        ? []
        : [`It is to be switched ${spec.online ? 'on' : 'off'}.`]),
      ...(spec?.consumerRef?.name === undefined
        ? []
        : [
            `It is used by ${spec.consumerRef.kind ?? 'somebody'} ${spec.consumerRef.namespace ?? ''}/${spec.consumerRef.name}.`,
          ]),
      ...(network === undefined || network.verdict === 'ready' ? [] : [`Its ports: ${network.message}`]),
    ].filter((sentence) => sentence !== ''),
    advice: [
      ...adviceOf(host, where),
      { command: `rackwright history bmh/${where}`, purpose: 'see what was done to it' },
    ],
  };
}

/** Whether it is well, and where it is. */
function headlinesOf(host: HostObject, about: string): string[] {
  const { status } = host;
  const state = status?.provisioning?.state ?? '';
  const operational = status?.operationalStatus ?? '';
  const health = readHostHealth(host);
  const power = `switched ${status?.poweredOn === true ? 'on' : 'off'}`;
  const isKnown = status?.conditions?.find(({ type }) => type === 'Manageable')?.status !== 'False';
  const place = `${state === '' ? 'new' : state}, ${isKnown ? power : `last seen ${power}`}${operational === '' ? '' : `, ${operational}`}`;
  const { errorCount = 0 } = status ?? {};
  const why = health.why === '' ? '' : `: ${health.why}`;
  if (isInTrouble(health)) {
    const times = errorCount > 1 ? `, ${errorCount} times by now` : '';
    const remedy = remedyOf(host, health.why);
    const first = `${about} is in ${health.kind === 'error' ? 'error' : 'trouble'} (${health.word}${times})${why}`;
    return [closed(first), ...(remedy === undefined ? [] : [remedy]), `It is ${place}.`];
  }
  if (health.kind !== 'unknown') return [`${about} is ${place}.`];
  return [closed(`${about} is in doubt${why}`), `It is ${place}.`];
}

function closed(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** A BMC that is in the way has to be seen to before whatever failed by it. */
function remedyOf({ status }: HostObject, why: string): string | undefined {
  const ofBmc = bmcRemedies[managementProblemOf(why)];
  const { errorType = '' } = status ?? {};
  const isOfBmc = ['', 'registration error', 'provisioned registration error', 'power management error'];
  return (isOfBmc.includes(errorType) || isBmcInTheWay(why) ? ofBmc : undefined) ?? remedies[errorType];
}

/** What it waits for; of a host that others work on, that. */
function waitOf(host: HostObject & { readonly spec?: { readonly image?: object } }, work: ObjectSeen['work']): string {
  const { spec, status } = host;
  const state = status?.provisioning?.state ?? '';
  const health = readHostHealth(host);
  const open = work.filter(({ finalized_at: end }) => end === null);
  if (open.some((each) => each.state === 'active') || health.word === 'firmware work') {
    return 'Its machine is being worked on: it waits until that has ended.';
  }
  if (state === 'registering') return registrationOf(host);
  if (isInTrouble(health)) return '';
  if (state === 'available' && spec?.image !== undefined)
    return 'An image is asked for: it is about to be provisioned.';
  const wait = waits[state] ?? '';
  return open.length === 0 || !resting.has(state) ? wait : 'Work on its machine is asked for, and has not begun.';
}

const resting = new Set(['available', 'provisioned', 'externally provisioned']);

function registrationOf({ status }: HostObject): string {
  const message = status?.conditions?.find(({ type }) => type === 'Manageable')?.message ?? '';
  const problem = managementProblemOf(message);
  if (message === '') return waits.registering ?? '';
  if (problem === 'no-provisioner') return 'Nothing is tried before Rackwright is started with a provisioner for it.';
  if (problem === 'credentials')
    return 'Log-ins are stopped until its credentials change, so that no account is locked.';
  if (problem === 'locked') return 'Log-ins are stopped until the lock of the account is over.';
  return status?.operationalStatus === 'error'
    ? 'Registering it is tried again after a while.'
    : `It waits: ${message}`;
}

interface Named {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

function holdsOf({ metadata }: HostObject): string[] {
  const annotations = metadata?.annotations ?? {};
  const reboots = Object.keys(annotations).filter((name) => /^reboot\.metal3\.io(\/|$)/.test(name));
  return [
    ...('baremetalhost.metal3.io/paused' in annotations
      ? ['It is paused by an annotation: nothing is done about it.']
      : []),
    ...('baremetalhost.metal3.io/detached' in annotations
      ? ['It is detached by an annotation: its machine is left alone.']
      : []),
    ...(reboots.length === 0 ? [] : [`A reboot is asked for by ${reboots.join(', ')}.`]),
  ];
}

function adviceOf({ metadata, status }: HostObject, where: string): Advice[] {
  const annotations = metadata?.annotations ?? {};
  const drop = (annotation: string, purpose: string): Advice[] =>
    annotation in annotations ? [{ command: `rackwright annotate bmh ${where} ${annotation}-`, purpose }] : [];
  return [
    ...drop('baremetalhost.metal3.io/paused', 'have it looked after again'),
    ...drop('baremetalhost.metal3.io/detached', 'take it back'),
    ...(status?.errorType === 'network error'
      ? [{ command: `rackwright plan network ${metadata?.name ?? ''}`, purpose: 'see what its ports wait for' }]
      : []),
  ];
}
