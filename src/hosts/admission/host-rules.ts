import {
  type BareMetalHost,
  clusterGroup,
  type DataImage,
  type HostFirmwareComponents,
  type HostFirmwareSettings,
  infrastructureGroup,
  metal3Group,
} from '../../api/index.ts';
import {
  type AdmissionMatch,
  type AdmissionRequest,
  type AdmissionRule,
  allowed,
  type Denial,
  defineAdmissionRule,
  denied,
  isSameJson,
  isSuperuser,
  unreadable,
  type Verdict,
} from '../../kube/index.ts';
import { isPasswordName } from '../firmware/judge-settings.ts';
import { asksForNothing, createHostClaims, type HostView, type Rival } from './claims.ts';
import { judgeHost } from './judge-host.ts';
import { judgeNote, noteChangeOf } from './judge-note.ts';
import { judgeMachine, newlyNamedByMachine } from './machine-secrets.ts';
import { mayDiscover } from './may-discover.ts';
import { judgeNamedSecrets, type NamedSecret, newlyNamedSecrets } from './named-secrets.ts';

/** The rules of this room, and where they get their view: an API server in the same process starts before its caches. */
export interface HostAdmission {
  readonly rules: readonly AdmissionRule[];
  /** From now on hosts can be held against those that are there; before, none with a BMC or a boot MAC is let in. */
  attach(view: HostView): void;
  /** Lets none in again until there is another view. */
  detach(): void;
}

/** Makes the rules. */
export function createHostAdmission(): HostAdmission {
  let view: HostView | undefined;
  const claims = createHostClaims();
  const needed = (): HostView => {
    if (view !== undefined) return view;
    throw new Error('hosts cannot be told from each other yet; try again in a moment');
  };
  const readUnreadable = async (
    { userInfo, namespace = '' }: AdmissionRequest,
    named: readonly NamedSecret[],
  ): Promise<readonly string[]> => {
    const names = named.map(({ name }) => name);
    if (names.length === 0 || isSuperuser(userInfo)) return [];
    return unreadable(needed().mayDo, userInfo, { group: '', resource: 'secrets', namespace, names });
  };
  const readRights = async (request: AdmissionRequest): Promise<Omit<HostRequestSeen, 'rivals'>> => {
    const { userInfo, namespace = '' } = request;
    return {
      mayDiscover: noteChangeOf(request) === 'brought' && (await mayDiscover(needed().mayDo, userInfo, namespace)),
      unreadable: await readUnreadable(request, newlyNamedSecrets(request)),
    };
  };
  const machineRule = ({ name, ...rule }: MachineRule): AdmissionRule =>
    defineAdmissionRule<readonly string[]>({
      ...rule,
      name: `${name}.hosts.rackwright.io`,
      type: 'validating',
      read: (request) => readUnreadable(request, newlyNamedByMachine(request)),
      admit: (request, unreadable) => verdictOf(judgeMachine(request, unreadable)),
    });
  return {
    rules: [
      defineAdmissionRule<HostRequestSeen>({
        name: 'baremetalhosts.hosts.rackwright.io',
        type: 'validating',
        matches: [matchOf('baremetalhosts')],
        async read(request) {
          const rights = await readRights(request);
          if (isOver(request)) return { ...rights, rivals: [] };
          const host = hostIn(request);
          const before = (request.oldObject ?? undefined) as unknown as BareMetalHost | undefined;
          // What is refused for itself takes nothing away from others.
          if (asksForNothing(host, before) || judgeHost(host).length > 0) return { ...rights, rivals: [] };
          // At a start, the rack's own hosts are told their new addresses before anything can be compared.
          if (view === undefined && before !== undefined) return { ...rights, rivals: [] };
          const isDryRun = request.dryRun === true;
          return { ...rights, rivals: await claims.rivalsOf(needed(), host, { before, isDryRun }) };
        },
        admit: admitHost,
      }),
      machineRule({ name: 'metal3machines', matches: [metal3MachineMatch] }),
      // Cluster API has these: machines of other providers must not wait for us.
      machineRule({ name: 'machines', matches: [machineMatch], failurePolicy: 'Ignore', timeoutSeconds: 3 }),
      companionRule('hostfirmwaresettings', (object) => judgeSettings(object as unknown as HostFirmwareSettings)),
      companionRule('dataimages', (object) => judgeDataImage(object as unknown as DataImage)),
      companionRule('hostfirmwarecomponents', (object) => judgeComponents(object as unknown as HostFirmwareComponents)),
    ],
    attach(given) {
      view = given;
    },
    detach() {
      view = undefined;
    },
  };
}

function matchOf(resource: string): AdmissionMatch {
  const operations = ['CREATE', 'UPDATE'] as const;
  return { groups: [metal3Group], versions: ['v1alpha1'], resources: [resource], operations, scope: 'Namespaced' };
}

type MachineRule = Pick<AdmissionRule, 'name' | 'matches' | 'failurePolicy' | 'timeoutSeconds'>;

const machineVersions = {
  versions: ['v1beta1', 'v1beta2'],
  ...{ operations: ['CREATE', 'UPDATE'] as const, scope: 'Namespaced' as const },
};

/** What names Secrets that a host then gets: machines, and what makes machines. */
const metal3MachineMatch: AdmissionMatch = {
  ...{ ...machineVersions, groups: [infrastructureGroup] },
  resources: ['metal3machines', 'metal3machinetemplates'],
};
const machineMatch: AdmissionMatch = {
  ...{ ...machineVersions, groups: [clusterGroup] },
  resources: ['machines', 'machinesets', 'machinedeployments'],
};

function companionRule(resource: string, judge: (object: unknown) => Denial[]): AdmissionRule {
  return defineAdmissionRule({
    name: `${resource}.hosts.rackwright.io`,
    type: 'validating',
    matches: [matchOf(resource)],
    read: () => undefined,
    admit: (request) => (isOver(request) ? allowed() : verdictOf(judge(request.object))),
  });
}

/** The host that a request is about, in the namespace that it is for. */
function hostIn({ object, namespace }: AdmissionRequest): BareMetalHost {
  const host = object as unknown as BareMetalHost;
  return { ...host, metadata: { ...(namespace === undefined ? {} : { namespace }), ...host.metadata } };
}

/**
 * True for requests that there is nothing to say about: an object that only loses its finalizers must be let go whatever
 * is wrong with it, and one whose wishes stay as they are was judged before.
 */
function isOver({ object, oldObject, operation }: AdmissionRequest): boolean {
  if (object?.metadata?.deletionTimestamp !== undefined) return true;
  if (operation !== 'UPDATE') return false;
  const [after, before] = [object, oldObject].map((each) => [each?.spec, each?.metadata?.annotations ?? {}]);
  return isSameJson(after, before);
}

/** What a host that is written is judged by, besides the request. */
export interface HostRequestSeen {
  readonly rivals: readonly Rival[];
  /** Whether whoever writes it may say which machine it is. */
  readonly mayDiscover: boolean;
  /** Secrets that it names anew and that whoever writes it may not read. */
  readonly unreadable: readonly string[];
}

/** Judges a host. Pure. */
export function admitHost(request: AdmissionRequest, seen: HostRequestSeen): Verdict {
  const { rivals, mayDiscover, unreadable } = seen;
  // Also of a host that goes: what its provisioner then forgets is what the note says.
  const noted = judgeNote(request, { mayDiscover });
  // And of one that goes, too: its BMC is logged in to until it is gone.
  const secrets = judgeNamedSecrets(request, newlyNamedSecrets(request), unreadable);
  if (isOver(request)) return verdictOf([...noted, ...secrets]);
  return verdictOf([...judgeHost(hostIn(request)), ...noted, ...secrets, ...rivals.map(describeRival)]);
}

function describeRival({ field, host, isLeaving }: Rival): Denial {
  const what = field === 'spec.bmc.address' ? 'BMC' : 'boot MAC address';
  const leaving = isLeaving ? ', which is being deleted: wait until it is gone' : '';
  return { field, message: `the BareMetalHost ${host} has this ${what} already${leaving}` };
}

function verdictOf(reasons: readonly Denial[]): Verdict {
  return reasons.length === 0 ? allowed() : denied(...reasons);
}

/** Passwords of a BIOS are not for objects that many can read. */
function judgeSettings({ spec }: HostFirmwareSettings): Denial[] {
  return Object.keys(spec?.settings ?? {})
    .filter(isPasswordName)
    .map((name) => ({ field: `spec.settings[${name}]`, message: `the password setting ${name} cannot be set here` }));
}

function judgeDataImage({ spec }: DataImage): Denial[] {
  const parsed = URL.parse(spec?.url ?? '');
  const isUsable = parsed !== null && ['http:', 'https:'].includes(parsed.protocol);
  return isUsable ? [] : [{ field: 'spec.url', message: 'it is no URL of http or https' }];
}

const updateSchemes = ['http:', 'https:', 'file:'];

function judgeComponents({ spec }: HostFirmwareComponents): Denial[] {
  return (spec?.updates ?? []).flatMap(({ component, url }, index): Denial[] => {
    const field = `spec.updates[${index}]`;
    const isComponent = component === 'bios' || component === 'bmc' || /^nic:.+/.test(component);
    const parsed = URL.parse(url);
    return [
      ...(isComponent
        ? []
        : [{ field: `${field}.component`, message: `component is bios, bmc or nic:NAME, not "${component}"` }]),
      ...(parsed !== null && updateSchemes.includes(parsed.protocol)
        ? []
        : [{ field: `${field}.url`, message: 'it is no URL of http or https' }]),
    ];
  });
}
