import type { FirmwareSlot } from '../machine/firmware.ts';
import type { Hardware } from '../machine/hardware.ts';
import type { MachineLimits, MachineTimings } from '../machine/limits.ts';
import type { Machine } from '../machine/machine.ts';
import type { MachineRules, UpdateRules } from '../machine/rules.ts';
import type { Task } from '../machine/tasks.ts';
import type { Update, UpdateRefusal } from '../machine/updates.ts';
import type { JsonObject, RedfishAnswer, Route } from '../redfish/route.ts';

/** The kinds of BMC that the simulator can be. */
export const personalityNames = [
  'dell-idrac9',
  'hpe-ilo5',
  'hpe-ilo6',
  'lenovo-xcc',
  'supermicro-x12',
  'openbmc',
] as const;

/** One of the kinds of BMC. */
export type PersonalityName = (typeof personalityNames)[number];

/** The ids a vendor gives to the resources that every BMC has once. */
export interface ResourceIds {
  /** `System.Embedded.1`, `1`, `system` ... */
  readonly system: string;
  readonly manager: string;
  readonly chassis: string;
  readonly storage: string;
  /** The folder of the BIOS under the system: `Bios` or `bios`, as the vendor spells it. */
  readonly bios: string;
  /** Path of the settings object under the BIOS: `Settings`, `Pending`, `SD`. */
  readonly biosSettings: string;
  readonly biosRegistry: string;
  readonly virtualMedia: readonly string[];
  /** True where virtual media hang under the system and not under the manager. */
  readonly isVirtualMediaOfSystem: boolean;
  /** The BMC's own network interface: `NIC.1`, `eth0`. `1` unless given. */
  readonly managerNic?: string;
  /** The log of the host's hardware: `Sel`, `IML`. `SEL` unless given. */
  readonly systemLog?: string;
  /** The log of the BMC: `Lclog`, `IEL`. `Log1` unless given. */
  readonly managerLog?: string;
  /** The administrator's account under AccountService/Accounts. `1` unless given. */
  readonly account?: string;
}

/** What the service can do and how it insists on being asked. */
export interface ServiceFeatures {
  readonly redfishVersion: string;
  /** `$expand=*($levels=1)` is advertised and works. */
  readonly hasExpand: boolean;
  readonly hasEventStream: boolean;
  /** ETags are sent in the weak form `W/"..."`. */
  readonly hasWeakEtags: boolean;
  /** If-Match with the weak form that was sent gets 412, the strong form of it is taken. False unless given. */
  readonly doesRefuseWeakIfMatch?: boolean;
  /** Large bodies are compressed when asked for, and the ETag then ends in `-gzip"`, which no If-Match takes. False unless given. */
  readonly hasGzip?: boolean;
  /** A PATCH without If-Match gets 428 (Lenovo). */
  readonly isIfMatchRequired: boolean;
  /** An action with If-Match gets 412 (Dell). */
  readonly doActionsRefuseIfMatch: boolean;
  /** An upload without Content-Length is refused (Dell). */
  readonly doesRefuseChunked: boolean;
  /** Asking for `Accept-Encoding: identity` on a registry gets 406 (HPE). */
  readonly doesRefuseIdentityEncoding: boolean;
  readonly hasBootProgress: boolean;
  readonly resetTypes: readonly string[];
  /** Reset types come from an ActionInfo resource instead of allowable values in place. */
  readonly hasResetActionInfo: boolean;
  readonly managerResetTypes: readonly string[];
  readonly bootTargets: readonly string[];
  readonly hasBootMode: boolean;
  /** Members a page of a collection holds before `Members@odata.nextLink`; absent: all. */
  readonly pageSize?: number;
  readonly isBasicAuthAllowed: boolean;
}

/** The ways firmware reaches the BMC, as its UpdateService says. */
export interface UpdateFeatures {
  readonly multipartPushUri?: string;
  readonly pushUri?: string;
  /** Absent: no SimpleUpdate action. */
  readonly simpleUpdate?: { readonly protocols: readonly string[]; readonly isProtocolRequired: boolean };
  readonly applyTimes: readonly string[];
  readonly maxImageSizeBytes?: number;
  /** A raw push wants HttpPushUriTargetsBusy claimed first (Lenovo). */
  readonly hasBusyClaim: boolean;
}

/** One BIOS attribute: its entry in the registry and its value out of the box. */
export interface BiosAttribute {
  readonly name: string;
  readonly displayName: string;
  readonly type: 'Enumeration' | 'Integer' | 'String' | 'Boolean';
  readonly default: string | number | boolean;
  readonly values?: readonly string[];
  readonly lowerBound?: number;
  readonly upperBound?: number;
  readonly maxLength?: number;
  readonly isReadOnly?: boolean;
}

/** One member of UpdateService/FirmwareInventory as the vendor lists it. */
export interface FirmwareEntry {
  readonly id: string;
  /** The slot it shows, so that an update may name the entry as its target. */
  readonly slot?: string;
  readonly name: string;
  readonly version: string;
  readonly softwareId?: string;
  readonly isUpdateable: boolean;
  readonly relatedItems: readonly string[];
  readonly body?: JsonObject;
}

/** The resource a body is of, so that a vendor can add its own members to it. */
export type ResourceKind =
  | 'ServiceRoot'
  | 'ComputerSystem'
  | 'Chassis'
  | 'Manager'
  | 'Bios'
  | 'BiosSettings'
  | 'NetworkAdapter'
  | 'NetworkPort'
  | 'NetworkDeviceFunction'
  | 'EthernetInterface'
  | 'ManagerEthernetInterface'
  | 'Storage'
  | 'Drive'
  | 'Memory'
  | 'Processor'
  | 'VirtualMedia'
  | 'UpdateService'
  | 'SoftwareInventory'
  | 'Task'
  | 'TaskService'
  | 'SessionService'
  | 'AccountService'
  | 'EventService'
  | 'Session'
  | 'ManagerAccount'
  | 'Role'
  | 'EventDestination'
  | 'SecureBoot'
  | 'BootOption'
  | 'StorageController'
  | 'Volume'
  | 'NetworkInterface'
  | 'NetworkProtocol'
  | 'LogService'
  | 'LogEntry'
  | 'Power'
  | 'PowerSubsystem'
  | 'PowerSupply'
  | 'Thermal'
  | 'ActionInfo'
  | 'MessageRegistryFile'
  | 'AttributeRegistry'
  | 'CertificateService';

/** What makes one vendor's BMC different from another's. Everything else is shared. */
export interface Personality {
  readonly name: PersonalityName;
  /** As in ComputerSystem.Manufacturer. */
  readonly manufacturer: string;
  /** As in ServiceRoot.Vendor; absent where the vendor leaves it out. */
  readonly rootVendor?: string;
  readonly ids: ResourceIds;
  readonly service: ServiceFeatures;
  readonly update: UpdateFeatures;
  readonly limits: MachineLimits;
  readonly timings: MachineTimings;
  /** Where its updates differ from the defaults that machine/rules.ts documents. */
  readonly updateRules?: Partial<UpdateRules>;
  /** Where it otherwise differs from the defaults of machine/rules.ts. */
  readonly machineRules?: Partial<MachineRules>;
  readonly bios: readonly BiosAttribute[];
  /** The models this vendor has; a fleet is drawn from them. */
  readonly models: readonly string[];
  /** The parts of server number `index` of a fleet: 2 processors, 16 DIMMs, 8 drives, 4 NIC ports and so on. */
  describe(order: { readonly model: string; readonly index: number; readonly random: () => number }): Hardware;
  /** What is installed out of the box; about 25 slots. */
  firmware(hardware: Hardware): FirmwareSlot[];
  /** The firmware inventory in the vendor's own form, made from the machine's slots. */
  listFirmware(machine: Machine): readonly FirmwareEntry[];
  /** Adds or changes members of a body before it is sent. */
  decorate(kind: ResourceKind, body: JsonObject, machine: Machine): JsonObject;
  /** OEM resources and actions, and standard ones the vendor answers in its own way; they win over the shared ones. */
  readonly routes: readonly Route[];
  /** The answer to an accepted update: 202 + Location, 200 with a task, an error object that says success ... */
  answerUpdate(machine: Machine, update: Update): RedfishAnswer;
  /** The answer to a refused update, in the vendor's words. */
  answerRefusal(machine: Machine, refusal: UpdateRefusal): RedfishAnswer;
  /** The answer of a BMC that is too busy, in the vendor's words (Dell's SYS518); 503 with a Base message unless given. */
  answerBusy?(machine: Machine): RedfishAnswer;
  /** What the vendor says in a task's Messages at its end or in its course. */
  describeTask(machine: Machine, task: Task): { readonly name: string; readonly messages: readonly JsonObject[] };
  /** True once the vendor has thrown a finished task away (Dell, HPE). */
  isTaskPurged(machine: Machine, task: Task): boolean;
}
