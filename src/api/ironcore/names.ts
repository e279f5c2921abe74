/** The API group of BMCs, servers and their firmware. */
export const ironcoreGroup = 'metal.ironcore.dev';

/** The one version of that group. */
export const ironcoreVersion = 'v1alpha1';

/** `metal.ironcore.dev/v1alpha1`. */
export const ironcoreApiVersion = 'metal.ironcore.dev/v1alpha1';

/** The `apiVersion` literal of the kinds of that group. */
export type IroncoreApiVersion = typeof ironcoreApiVersion;

/** Annotation that asks for one operation on the object; whoever does it removes the annotation. */
export const operationAnnotation = 'metal.ironcore.dev/operation';

/** The values `operationAnnotation` may have. */
export const operations = [
  'graceful-restart-server',
  'hard-restart-server',
  'power-cycle-server',
  'force-off-server',
  'force-on-server',
  'graceful-restart-bmc',
  'force-ssh-reset-bmc',
  'rotate-credentials',
  'ignore',
  'retry',
  'retry-propagated',
  'allow-in-progress-delete',
  'allow-in-progress-update',
  'park',
  'unpark',
] as const;

/** One value of `operationAnnotation`. */
export type Operation = (typeof operations)[number];

/** Operation that lets an update, stopped after too many failed attempts, be tried again. */
export const retryOperation = 'retry' satisfies Operation;

/** Operation that asks for a server to be parked: powered off and left alone. */
export const parkOperation = 'park' satisfies Operation;

/** Operation that takes a parked server back. */
export const unparkOperation = 'unpark' satisfies Operation;

/** Annotation that stays, with value `true`, while a server is parked. */
export const parkedAnnotation = 'metal.ironcore.dev/parked';

/** Operation that a group passes on to its servers when it is told to try again. */
export const retryPropagatedOperation = 'retry-propagated' satisfies Operation;

/** Label that keeps firmware work away: such a server gets no ServerFirmware, and one that is there does nothing. */
export const excludeLabel = 'metal.ironcore.dev/exclude';

/** Annotation of a ServerFirmware with the name of the group whose entries it has. */
export const groupAnnotation = 'metal.ironcore.dev/firmware-group';

/** Annotation with the rack a server is mounted in. */
export const rackAnnotation = 'topology.metal.ironcore.dev/rack';

/** Annotation with the height unit a server is mounted at. */
export const heightUnitAnnotation = 'topology.metal.ironcore.dev/heightunit';

/** Condition types that BMC, Server, ServerFirmware, ServerFirmwareGroup and DiscoveredFirmware carry. */
export const ironcoreConditions = {
  /** The object is well and does what it should. */
  ready: 'Ready',
  /** Another object claims the same machine; this one is inert. */
  duplicateMachine: 'DuplicateMachine',
  /** What belongs to a Server could not be made, or the inventory could not be told of it. */
  onboardingFailed: 'OnboardingFailed',
  /** Another ServerFirmware refers to the same server; this one is inert. */
  duplicateServer: 'DuplicateServer',
  /** The installed firmware was read within the scan threshold. */
  scanned: 'Scanned',
  /** Everything desired is installed. */
  upToDate: 'UpToDate',
  /** A scan, an update or a discovery is under way or waits for its turn. */
  progressing: 'Progressing',
  /** Too many attempts failed: waits for a changed spec or a retry annotation. */
  stalled: 'Stalled',
  /** Too many servers of a group failed its version: the group writes nothing more. */
  halted: 'Halted',
  /** The group is told to stop by `spec.paused`. */
  paused: 'Paused',
  /** Another group selects some of the same servers; neither writes. */
  selectorConflict: 'SelectorConflict',
  /** The group's selector also selects servers of another manufacturer or model, which it leaves alone. */
  otherHardware: 'OtherHardware',
} as const;

/** Reasons the conditions above give, where a program has to tell them apart. */
export const ironcoreReasons = {
  /** The version is in no catalogue, so no job was made. */
  firmwareNotFound: 'FirmwareNotFound',
  /** An entry applies to no part that is installed. */
  notApplicable: 'NotApplicable',
  /** Entries mean one part and want different versions of it. */
  contradictoryEntries: 'ContradictoryEntries',
  /** The host is in use and its update policy does not allow the work now. */
  hostInUse: 'HostInUse',
  /** Two hosts claim the machine, and nobody knows which of them would be disturbed. */
  claimedTwice: 'ClaimedTwice',
  /** No worker is online for the facility of the server. */
  noWorker: 'NoWorker',
  /** The worker of a job is lost; another one goes on from its last step. */
  workerLost: 'WorkerLost',
  /** Neither the object nor a group declares a firmware version. */
  noTarget: 'NoTarget',
  /** The same desired list failed as often as it may. */
  attemptsExhausted: 'AttemptsExhausted',
} as const;

/** Reasons for which the job of an open request waits, as `Progressing` tells them. */
export const jobWaitReasons: readonly string[] = [
  ironcoreReasons.hostInUse,
  ironcoreReasons.claimedTwice,
  ironcoreReasons.noWorker,
  ironcoreReasons.workerLost,
];
