export {
  AnyObject,
  ageColumn,
  apiVersionOf,
  declareKind,
  describe,
  exampleOf,
  Flag,
  IntOrString,
  type KindDeclaration,
  type KindVersion,
  List,
  ListMap,
  ListSet,
  MapOf,
  Nullable,
  type PrinterColumn,
  Real,
  type SchemaOptions,
  StringEnum,
  Struct,
  storageVersionOf,
  Text,
  Time,
  Whole,
} from './declare.ts';
export { generatedFilesOf, generatedFolders, yamlOf } from './generated-files.ts';
export type { BareMetalHost } from './metal3/bare-metal-host.ts';
export { bareMetalHost } from './metal3/bare-metal-host.ts';
export { BareMetalHostSpec, type HostPort } from './metal3/bare-metal-host-spec.ts';
export {
  BareMetalHostStatus,
  type HostErrorType,
  hostErrorTypes,
  type OperationalStatus,
  operationalStatuses,
  type ProvisioningState,
  provisioningStates,
} from './metal3/bare-metal-host-status.ts';
export { Raid, RootDeviceHints } from './metal3/disks.ts';
export { metal3ApiVersion, metal3Group } from './metal3/group.ts';
export { HardwareDetails, type Nic, type Storage } from './metal3/hardware-details.ts';
export { Image } from './metal3/image.ts';
export {
  SwitchPortConfigurationReference,
  SwitchPortReference,
  switchPortConfigurationKinds,
} from './metal3/network-references.ts';
export type { CustomResource, ObjectMeta, OwnerReference } from './object.ts';
export { referencePageOf } from './reference-page.ts';
export { ObjectReference, SecretReference } from './references.ts';
export { allKinds } from './registry.ts';
export { type CustomResourceDefinition, crdOf, plainSchema, schemaOf } from './to-crd.ts';
