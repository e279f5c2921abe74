import { infrastructureGroup, metal3Group, type Switch, type SwitchPort } from '../../api/index.ts';
import {
  type AdmissionMatch,
  type AdmissionRequest,
  type AdmissionRule,
  allowed,
  createMayDo,
  defineAdmissionRule,
  denied,
  isSuperuser,
  type KubeClient,
  kubeError,
  type MayDo,
  unreadable,
} from '../../kube/index.ts';
import { describeProviderLimits } from '../../switches/index.ts';
import { type FullReference, fullReference, nameOf, namespaceOf } from '../fabric/references.ts';
import { type NetworkTables, providerKey, usersOf } from '../fabric/tables.ts';
import { seenOf } from '../port/read-port.ts';
import { providerResources } from '../resources.ts';
import { defaultNetworkSettings } from '../settings.ts';
import { infraQuestion, tenantQuestion } from './access.ts';
import { admitConfiguration, admitMachine } from './admit-configuration.ts';
import { admitHost, type HostAdmissionSeen, infraNamespaces, isAboutPorts } from './admit-host.ts';
import { admitPort, isHarmless, type PortAdmissionSeen } from './admit-port.ts';
import { admitSwitch, type SwitchAdmissionSeen } from './admit-switch.ts';
import { describeUnreadable, newlySentSecret } from './switch-secrets.ts';

/** What rules look at besides the request: the caches of the controllers, and whom to ask about rights. */
export interface NetworkAdmissionView {
  readonly tables: NetworkTables;
  readonly client: Pick<KubeClient, 'request'>;
}

/** The rules of this room, and where they get their view: an API server in the same process starts before its caches. */
export interface NetworkAdmission {
  readonly rules: readonly AdmissionRule[];
  /** From now on requests are held against what is there. Before that, what rights hang on is refused to all but superusers. */
  attach(view: NetworkAdmissionView): void;
}

interface View {
  readonly tables: NetworkTables;
  readonly mayDo: MayDo;
}

/** Makes the rules. */
export function createNetworkAdmission(): NetworkAdmission {
  let view: View | undefined;
  /** Gives the view. Whoever may do everything anyway is not held up while there is none. */
  const needed = ({ userInfo }: AdmissionRequest): View | undefined => {
    if (view !== undefined || isSuperuser(userInfo)) return view;
    throw kubeError('ServiceUnavailable', 'the caches of the network controllers are being filled; try again');
  };
  const within =
    <T>(read: (view: View, request: AdmissionRequest) => T) =>
    (request: AdmissionRequest): T | undefined => {
      const found = needed(request);
      return found === undefined ? undefined : read(found, request);
    };
  return {
    rules: [
      defineAdmissionRule<PortAdmissionSeen | undefined>({
        name: 'switchports.network.rackwright.io',
        type: 'validating',
        matches: [metal3('switchports', ['CREATE', 'UPDATE'])],
        read: (request) => (isHarmless(request) ? undefined : within(readPortRights)(request)),
        admit: admitPort,
      }),
      defineAdmissionRule<HostAdmissionSeen | undefined>({
        name: 'baremetalhosts.network.rackwright.io',
        type: 'validating',
        matches: [metal3('baremetalhosts', ['CREATE', 'UPDATE'])],
        read: (request) => (isAboutPorts(request) ? within(readHostRights)(request) : undefined),
        admit: admitHost,
      }),
      defineAdmissionRule<SwitchAdmissionSeen | undefined>({
        name: 'switches.network.rackwright.io',
        type: 'validating',
        matches: [metal3('switches', ['CREATE', 'UPDATE'])],
        read: within(readSwitchRights),
        admit: admitSwitch,
      }),
      defineAdmissionRule<string | undefined>({
        name: 'providerswitches.network.rackwright.io',
        type: 'validating',
        matches: [metal3('ansibleswitches', ['CREATE', 'UPDATE']), metal3('ovsswitches', ['CREATE', 'UPDATE'])],
        read: (request) => (newlySentSecret(request) === undefined ? undefined : within(readUnreadable)(request)),
        admit: (request, secret) => (secret === undefined ? allowed() : denied(describeUnreadable(request, secret))),
      }),
      defineAdmissionRule<readonly string[]>({
        name: 'switchportconfigurations.network.rackwright.io',
        type: 'validating',
        matches: [metal3('switchportconfigurations', ['CREATE', 'DELETE'])],
        read: (request) => (request.operation === 'DELETE' ? (within(readUsers)(request) ?? []) : []),
        admit: admitConfiguration,
      }),
      defineAdmissionRule<undefined>({
        name: 'metal3machines.network.rackwright.io',
        type: 'validating',
        matches: [
          {
            groups: [infrastructureGroup],
            versions: ['v1beta1', 'v1beta2'],
            resources: ['metal3machines', 'metal3machinetemplates'],
            operations: ['CREATE', 'UPDATE'],
            scope: 'Namespaced',
          },
        ],
        read: () => undefined,
        admit: admitMachine,
      }),
    ],
    attach({ tables, client }) {
      view = { tables, mayDo: createMayDo(client) };
    },
  };
}

function metal3(resource: string, operations: AdmissionMatch['operations']): AdmissionMatch {
  return { groups: [metal3Group], versions: ['v1alpha1'], resources: [resource], operations, scope: 'Namespaced' };
}

function readUsers({ tables }: View, { namespace, name }: AdmissionRequest): string[] {
  return usersOf(tables, `${namespace}/${name}`);
}

/** The Secret of a switch that a user may not read, but has sent somewhere. */
async function readUnreadable({ mayDo }: View, request: AdmissionRequest): Promise<string | undefined> {
  const { userInfo, namespace = '' } = request;
  const names = [newlySentSecret(request) ?? ''];
  return (await unreadable(mayDo, userInfo, { group: '', resource: 'secrets', namespace, names }))[0];
}

async function readPortRights({ tables, mayDo }: View, request: AdmissionRequest): Promise<PortAdmissionSeen> {
  const port = request.object as unknown as SwitchPort;
  const {
    memory: _,
    standing: __,
    settings: ___,
    ...seen
  } = seenOf(
    {
      tables,
      settings: defaultNetworkSettings,
      memoryOf: () => ({}),
      standingOf: () => ({ kind: 'waiting', fault: { code: 'SwitchNotReady', message: '' } }),
    },
    port,
  );
  const isInfra = await mayDo(request.userInfo, infraQuestion(namespaceOf(port)));
  const tenant = seen.claim?.host.namespace;
  const isTenant = isInfra || (tenant !== undefined && (await mayDo(request.userInfo, tenantQuestion(tenant))));
  return { isInfra, isTenant, seen };
}

async function readHostRights({ tables, mayDo }: View, request: AdmissionRequest): Promise<HostAdmissionSeen> {
  const asked = await Promise.all(
    infraNamespaces(request).map(async (namespace) => ({
      namespace,
      isInfra: await mayDo(request.userInfo, infraQuestion(namespace)),
    })),
  );
  return {
    notInfra: asked.filter(({ isInfra }) => !isInfra).map(({ namespace }) => namespace),
    holdersOf: ({ namespace, name }: FullReference) =>
      tables.hosts
        .byIndex('port', `${namespace}/${name}`)
        .map((host) => ({ name: nameOf(host), namespace: namespaceOf(host) })),
  };
}

async function readSwitchRights({ tables, mayDo }: View, request: AdmissionRequest): Promise<SwitchAdmissionSeen> {
  const object = request.object as unknown as Switch;
  const home = namespaceOf(object);
  const { provider } = object.spec;
  const { namespace } = fullReference(provider, home);
  const { resource } = providerResources[provider.kind];
  const isHome = namespace === home;
  const rivals = tables.switches
    .byIndex('provider', providerKey(object))
    .filter((each) => nameOf(each) !== nameOf(object) || namespaceOf(each) !== home);
  const used = tables.providers[provider.kind].get(`${namespace}/${provider.name}`);
  const limits = used === undefined ? undefined : describeProviderLimits(used, object.spec.parkingVLAN);
  return {
    warnings: [limits?.cleaning, limits?.control].flatMap((each) => each ?? []),
    mayUseProvider:
      isHome || (await mayDo(request.userInfo, { verb: 'update', group: metal3Group, resource, namespace })),
    rival: rivals[0] === undefined ? undefined : `${namespaceOf(rivals[0])}/${nameOf(rivals[0])}`,
    listerOf: (port) => {
      const lister = tables.switches.byIndex('port', `${home}/${port}`).find((each) => nameOf(each) !== nameOf(object));
      return lister === undefined ? undefined : nameOf(lister);
    },
  };
}
