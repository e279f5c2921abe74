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

/** The state of a host, why, and what it waits for. */
export function explainHost({ object, network }: ObjectSeen, about: string): Beginning {
  const host = object as HostObject & {
    readonly spec?: { readonly image?: object; readonly online?: boolean; readonly consumerRef?: Named };
  };
  const { spec, status, metadata } = host;
  const state = status?.provisioning?.state ?? '';
  const operational = status?.operationalStatus ?? '';
  const power = status?.poweredOn === true ? 'on' : 'off';
  const isWanted = state === 'available' && spec?.image !== undefined;
  const name = metadata?.name ?? '';
  const where = `${name} -n ${metadata?.namespace ?? ''}`;
  return {
    state,
    sentences: [
      `${about} is ${state === '' ? 'new' : state}, switched ${power}${operational === '' ? '' : `, ${operational}`}.`,
      isWanted ? 'An image is asked for: it is about to be provisioned.' : (waits[state] ?? ''),
      ...failureOf(host),
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

interface Named {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

function failureOf({ status }: HostObject): string[] {
  const { errorType = '', errorMessage = '', errorCount = 0 } = status ?? {};
  if (errorType === '' && errorMessage === '') return [];
  const times = errorCount > 1 ? `, ${errorCount} times by now` : '';
  const remedy = remedies[errorType];
  return [
    `It is in error (${errorType === '' ? 'no kind given' : errorType}${times}): ${errorMessage}`,
    ...(remedy === undefined ? [] : [remedy]),
  ];
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
