// Generated from src/api/metal3/host-health.ts; do not edit.
/** How a host is doing. `unknown`: nobody could find out; that is no trouble yet, and it is not OK either. */
export type HostHealthKind = 'ok' | 'busy' | 'idle' | 'unknown' | 'attention' | 'error';

/** The health of a host, for people and for counts. */
export interface HostHealth {
  readonly kind: HostHealthKind;
  /** A few words: `OK`, `BMC unreachable`, `servicing error`. */
  readonly word: string;
  /** The reason in full; empty where there is nothing to explain. */
  readonly why: string;
}

/** What keeps a host from being managed. */
export type ManagementProblem =
  | 'no-provisioner'
  | 'scheme'
  | 'certificate'
  | 'locked'
  | 'credentials'
  | 'busy'
  | 'unreachable'
  | 'other';

/** A BareMetalHost as far as its health follows from it. */
export interface HealthSubject {
  readonly metadata?: { readonly deletionTimestamp?: string | undefined } | undefined;
  readonly spec?: { readonly online?: boolean | undefined } | undefined;
  readonly status?:
    | {
        readonly operationalStatus?: string | undefined;
        readonly errorType?: string | undefined;
        readonly errorMessage?: string | undefined;
        readonly poweredOn?: boolean | undefined;
        readonly provisioning?: { readonly state?: string | undefined } | undefined;
        readonly conditions?: readonly HealthCondition[] | undefined;
      }
    | undefined;
}

interface HealthCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The reason of `Manageable` when the BMC of a managed host does not answer. */
export const powerFailure = 'PowerFailure';

/** The reason of `Progressing` while others, such as an install of firmware, have the machine of a host. */
export const firmwareWork = 'FirmwareWork';

/** States in which a provisioner works on the host. */
export const busyHostStates: readonly string[] = [
  'importing',
  'registering',
  'inspecting',
  'preparing',
  'provisioning',
  'deprovisioning',
  'powering off before delete',
  'deleting',
];

// BMCs, Ironic and Node.js word these; our own messages come first.
const problems: readonly (readonly [ManagementProblem, RegExp])[] = [
  ['no-provisioner', /no provisioner is set/i],
  ['scheme', /reached by Redfish here|Unknown BMC type/i],
  ['certificate', /certificate|self[- ]signed|\bTLS\b|\bSSL\b/i],
  ['locked', /account .*is locked|locked out/i],
  [
    'credentials',
    /refused the credentials|credentials .*(refused|invalid)|unauthori[sz]ed|authentication fail|\b401\b/i,
  ],
  ['busy', /is busy|no free session|\b503\b/i],
  [
    'unreachable',
    /cannot be reached|unable to connect|did not answer|no answer|timed? ?out|ECONN|EHOST|ENOTFOUND|connection (refused|reset)/i,
  ],
];

// Our own words, and Ironic's, for a BMC that is in the way; an image server may be away too, and a BMC may refuse what
// is wrong.
const inTheWay =
  /the BMC at \S+ (cannot be reached|did not answer|is busy|has no free session|refused the credentials)|is locked on the BMC|the certificate of the BMC|Redfish connection failed for node/;

/** The kind of problem that a message about the BMC of a host tells of. */
export function managementProblemOf(message: string): ManagementProblem {
  return problems.find(([, words]) => words.test(message))?.[0] ?? 'other';
}

/** True where a message says that a BMC itself keeps something from being done. */
export function isBmcInTheWay(message: string): boolean {
  return inTheWay.test(message);
}

const bmcWords: Readonly<Record<ManagementProblem, string>> = {
  'no-provisioner': 'no provisioner',
  scheme: 'BMC protocol not supported',
  certificate: 'BMC certificate not trusted',
  locked: 'BMC account locked',
  credentials: 'BMC credentials refused',
  busy: 'BMC busy',
  unreachable: 'BMC unreachable',
  other: 'BMC problem',
};

/** True when somebody has to look at the host. */
export function isInTrouble({ kind }: Pick<HostHealth, 'kind'>): boolean {
  return kind === 'error' || kind === 'attention';
}

/** The health of a host. Status, `why`, counts, metrics, terminal and console all show what this says. */
export function readHostHealth(host: HealthSubject): HostHealth {
  return troubleOf(host) ?? workOf(host) ?? doubtOf(host) ?? restOf(host);
}

function find({ status }: HealthSubject, type: string): HealthCondition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

function stateOf({ status }: HealthSubject): string {
  return status?.provisioning?.state ?? '';
}

/** What is broken comes before what is only being worked on, and the BMC before all else: without it nothing goes on. */
function troubleOf(host: HealthSubject): HostHealth | undefined {
  const { operationalStatus, errorType = '', errorMessage = '' } = host.status ?? {};
  const manageable = find(host, 'Manageable');
  if (manageable?.status === 'False' && manageable.reason === powerFailure) {
    const why = manageable.message || 'Its power cannot be read or switched.';
    const isOther = errorType !== '' && errorMessage !== why;
    const earlier = isOther
      ? `${/[.!?]$/.test(why) ? why : `${why}.`} It is also in error (${errorType}): ${errorMessage}`
      : why;
    return { kind: 'error', word: bmcWords[managementProblemOf(why)], why: earlier };
  }
  if (operationalStatus === 'error' || errorType !== '') {
    return { kind: 'error', word: errorType || 'error', why: errorMessage || 'It gave no reason.' };
  }
  const duplicate = find(host, 'DuplicateMachine');
  if (duplicate?.status === 'True') return { kind: 'error', word: 'duplicate', why: duplicate.message ?? '' };
  const healthy = find(host, 'Healthy');
  if (healthy?.status === 'False') {
    const { reason = 'unhealthy', message: why = '' } = healthy;
    return { kind: reason === 'Warning' ? 'attention' : 'error', word: reason, why };
  }
  const network = find(host, 'NetworkConfigured');
  if (network?.status === 'False' && /error|fail/i.test(network.reason ?? '')) {
    return { kind: 'attention', word: 'network', why: network.message ?? '' };
  }
  const updates = find(host, 'LiveUpdates');
  if (updates?.reason === 'Failed') return { kind: 'error', word: 'live update failed', why: updates.message ?? '' };
  return undefined;
}

function workOf(host: HealthSubject): HostHealth | undefined {
  const { metadata, status } = host;
  const state = stateOf(host);
  const progressing = find(host, 'Progressing');
  switch (status?.operationalStatus) {
    case 'servicing':
      return { kind: 'busy', word: 'live update', why: find(host, 'LiveUpdates')?.message ?? '' };
    case 'detached':
      return { kind: 'attention', word: 'detached', why: 'Nobody looks after it.' };
    case 'delayed':
      return { kind: 'attention', word: 'delayed', why: 'It waits for its turn.' };
  }
  if (metadata?.deletionTimestamp !== undefined) return { kind: 'busy', word: 'leaving', why: 'It is being deleted.' };
  if (progressing?.status === 'True' && progressing.reason === firmwareWork) {
    return { kind: 'busy', word: 'firmware work', why: progressing.message ?? '' };
  }
  if (!busyHostStates.includes(state)) return undefined;
  return waitOf(host) ?? { kind: 'busy', word: state, why: '' };
}

/** A host that is not managed yet and on which nothing is done: its provisioner is missing or away, or it is kept out. */
function waitOf(host: HealthSubject): HostHealth | undefined {
  const { status, reason, message: why = '' } = find(host, 'Manageable') ?? { status: 'True' };
  const isWaiting = status !== 'True' && (reason === 'Registering' || reason === 'Importing') && why !== '';
  if (!isWaiting) return undefined;
  const isMissing = managementProblemOf(why) === 'no-provisioner';
  return isMissing
    ? { kind: 'attention', word: bmcWords['no-provisioner'], why }
    : { kind: 'unknown', word: 'waiting', why };
}

function doubtOf(host: HealthSubject): HostHealth | undefined {
  const manageable = find(host, 'Manageable');
  if (manageable?.status !== 'Unknown') return undefined;
  return { kind: 'unknown', word: 'unknown', why: manageable.message ?? '' };
}

function restOf(host: HealthSubject): HostHealth {
  const state = stateOf(host);
  if (state === 'unmanaged' || state === '') return { kind: 'idle', word: state || 'new', why: '' };
  if (state === 'provisioned' && host.spec?.online === true && host.status?.poweredOn === false) {
    return { kind: 'attention', word: 'off', why: 'It should be on and is off.' };
  }
  return { kind: 'ok', word: 'OK', why: '' };
}
