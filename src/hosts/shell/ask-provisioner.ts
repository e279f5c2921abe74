import type { BareMetalHost } from '../../api/index.ts';
import type {
  CapacityOrder,
  HostConfig,
  HostIdentity,
  HostMarks,
  Outcome,
  HostSeen as OutsideSeen,
  Provisioner,
  Provisioners,
} from '../../provisioners/index.ts';
import { notedIdOf } from '../annotations/discovery-note.ts';
import type { Answers, HostSeen, Question, QuestionName } from '../decide/seen.ts';
import type { ExternalWork, ExternalWorkKind } from '../ports.ts';
import type { ServicedHosts } from '../servicing/serviced-hosts.ts';
import { stateOf } from '../status/host-status.ts';
import type { ClaimedMachines } from './claimed-machines.ts';

/** Which work a question is, for those who must not work on the machine at the same time. */
const workOf: Readonly<Partial<Record<QuestionName, ExternalWorkKind>>> = {
  inspect: 'inspect',
  prepare: 'clean',
  provision: 'provision',
  deprovision: 'deprovision',
  service: 'service',
  power: 'power',
  'attach-image': 'power',
  'eject-image': 'power',
};

/** What the engine itself does, where a provisioner orders it there. */
const orderedWork: readonly QuestionName[] = ['prepare', 'service'];

/** The host as a provisioner is told of it. */
export function identityOf({ host, status, secret }: Pick<HostSeen, 'host' | 'status' | 'secret'>): HostIdentity {
  const { bmc, bootMACAddress, disablePowerOff } = host.spec ?? {};
  const address = bmc?.address ?? '';
  const hasCredentials = secret.kind === 'found' && secret.username !== '';
  return {
    ...keyOfHost(host),
    ...(status.provisioning.ID === '' ? {} : { id: status.provisioning.ID }),
    ...(host.metadata.uid === undefined ? {} : { uid: host.metadata.uid }),
    ...(status.hardware === undefined ? {} : { hardware: marksOf(status) }),
    ...(address === '' || notedIdOf(host) !== undefined ? { marks: marksOf(status) } : {}),
    ...(address === ''
      ? {}
      : {
          bmc: {
            address,
            isCertificateUnchecked: bmc?.disableCertificateVerification === true,
            ...(hasCredentials ? { credentials: { username: secret.username, password: secret.password } } : {}),
          },
        }),
    ...(bootMACAddress === undefined ? {} : { bootMacAddress: bootMACAddress }),
    isPowerOffDisabled: disablePowerOff === true,
  };
}

function marksOf({ hardware }: HostSeen['status']): HostMarks {
  const macs = (hardware?.nics ?? []).flatMap(({ mac }) => (mac === undefined ? [] : [mac.toLowerCase()]));
  const { serialNumber = '' } = hardware?.systemVendor ?? {};
  return { macs: [...new Set(macs)], ...(serialNumber === '' ? {} : { serialNumber }) };
}

/** The host with the id that discovery told, as long as its provisioner has not told one and nobody else has it. */
function identityToAsk(seen: HostSeen): HostIdentity {
  const identity = identityOf(seen);
  const noted = seen.rival === undefined ? notedIdOf(seen.host) : undefined;
  return identity.id !== undefined || noted === undefined ? identity : { ...identity, id: noted, isIdNoted: true };
}

function keyOfHost({ metadata }: BareMetalHost): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** What questions are put to. */
export interface AskParts {
  readonly provisioners: Provisioners;
  readonly externalWork: ExternalWork;
  readonly machines: Pick<ClaimedMachines, 'isTaken'>;
  readonly serviced: Pick<ServicedHosts, 'list' | 'letIn'>;
}

/** Lets others work on the machine of a host; for good when the host is about to be no more. */
export function releaseHost(
  { externalWork }: Pick<AskParts, 'externalWork'>,
  seen: HostSeen,
  { isForGood }: { readonly isForGood: boolean },
): Promise<void> {
  return isForGood ? externalWork.releaseOwner(keyOfHost(seen.host)) : externalWork.release(identityOf(seen));
}

/** Puts a question to the provisioner; work on a machine is held before and released when it has ended. */
export async function askProvisioner(parts: AskParts, seen: HostSeen, question: Question): Promise<Answers> {
  const identity = identityToAsk(seen);
  const isOrdered = parts.provisioners.worksByConditions === true && orderedWork.includes(question.name);
  // What is still held would keep away the one who is asked.
  if (isOrdered) await parts.externalWork.release(identity);
  const under = isTakingLeave(seen, question) ? await giveUpOrdered(parts.provisioners, identity) : undefined;
  if (under !== undefined) return { [question.name]: under };
  const work = isOrdered ? undefined : workOf[question.name];
  if (work !== undefined) {
    const hold = await parts.externalWork.hold(identity, work);
    if (hold.kind === 'refused') {
      return { [question.name]: { kind: 'busy', message: hold.message, afterMs: hold.afterMs } };
    }
  }
  const config = seen.config?.kind === 'read' ? seen.config.config : {};
  const asked = await withTaken(parts, identity, question);
  const outcome = await put(parts, identity, asked, config);
  const isOver = outcome.kind === 'done' || outcome.kind === 'failed' || outcome.kind === 'unregistered';
  if (work !== undefined && isOver) await parts.externalWork.release(identity);
  return { [question.name]: outcome };
}

/** Questions by which a host goes out of use; one that was not provisioned here is only switched off. */
function isTakingLeave({ status }: HostSeen, { name }: Question): boolean {
  return name === 'deprovision' || (name === 'power' && stateOf(status) === 'powering off before delete');
}

/** What was ordered for a host that is used no more is given up first: it would keep everybody else away to its end. */
async function giveUpOrdered(provisioners: Provisioners, identity: HostIdentity): Promise<Outcome<never> | undefined> {
  if (provisioners.worksByConditions !== true) return undefined;
  const outcome = await provisioners.of(identity).service({ ticket: '', isSpecified: false });
  return outcome.kind === 'continue' || outcome.kind === 'busy' ? outcome : undefined;
}

/** Whoever is not known yet is not asked to make way: it must not become known while others are at work. */
async function withTaken({ machines }: AskParts, identity: HostIdentity, question: Question): Promise<Question> {
  if (question.name !== 'register' || !(await machines.isTaken(identity))) return question;
  return { ...question, order: { ...question.order, isMachineTaken: true } };
}

/** Who is let in counts from then on: its provisioner may take a while to see it at work. */
async function askCapacity(
  { provisioners, serviced }: Pick<AskParts, 'provisioners' | 'serviced'>,
  identity: HostIdentity,
  what: CapacityOrder['what'],
): Promise<Outcome<boolean>> {
  const outcome = await provisioners.hasCapacity(identity, { what, serviced: serviced.list });
  if (what === 'service' && outcome.kind === 'done' && outcome.value) {
    const { namespace, name, bmc } = identity;
    serviced.letIn({ namespace, name, address: bmc?.address ?? '' });
  }
  return outcome;
}

const cannotImport: Outcome<never> = {
  kind: 'failed',
  message: 'its provisioner takes over no machine that came by itself; set spec.bmc',
};

/** A host that cannot be looked at is one whose BMC does not answer: there is nothing of it to be tried anew. */
async function lookAt(provisioner: Provisioner): Promise<Outcome<OutsideSeen>> {
  const outcome = await provisioner.look();
  if (outcome.kind !== 'failed') return outcome;
  return { kind: 'done', value: { bmcProblem: { kind: 'passing', message: outcome.message } } };
}

function put(
  { provisioners, serviced }: Pick<AskParts, 'provisioners' | 'serviced'>,
  identity: HostIdentity,
  question: Question,
  config: HostConfig,
): Promise<Outcome<unknown>> {
  const provisioner: Provisioner = provisioners.of(identity);
  switch (question.name) {
    case 'capacity':
      return askCapacity({ provisioners, serviced }, identity, question.what);
    case 'register':
      return provisioner.register(question.order);
    case 'import':
      return provisioner.importHost?.(question.order) ?? Promise.resolve(cannotImport);
    case 'inventory':
      return provisioner.readInventory();
    case 'adopt':
      return provisioner.adopt(question.order);
    case 'inspect':
      return provisioner.inspect(question.order);
    case 'look':
      return lookAt(provisioner);
    case 'prepare':
      return provisioner.prepare(question.order);
    case 'provision':
      return provisioner.provision({ ...question.order, config });
    case 'deprovision':
      return provisioner.deprovision(question.order);
    case 'service':
      return provisioner.service(question.order);
    case 'power':
      return provisioner.setPower(question.order);
    case 'detach':
      return provisioner.detach(question.order);
    case 'attach-image':
      return provisioner.attachDataImage(question.order);
    case 'eject-image':
      return provisioner.detachDataImage(question.order);
    case 'remove':
      return provisioner.remove();
  }
}
