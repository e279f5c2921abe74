import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import { parseDigest, parseSource } from '../../firmware-store/index.ts';
import { firmwareComponents, toComponent } from '../../parts/index.ts';
import { isFlasherError } from '../errors.ts';
import type { InstallParameters } from '../install/parameters.ts';
import type { Firmware } from '../plan/firmware.ts';
import { type CheckedParameters, createCheck } from './check-parameters.ts';
import { GracePeriodSchema, graceIn, readGracePeriod } from './grace-period.ts';

const short = (description: string) => Type.String({ maxLength: 512, description });

/** An image as catalogues describe it; both spellings in use are taken. */
const FirmwareSchema = Type.Object(
  {
    id: Type.Optional(short('of the catalogue')),
    uuid: Type.Optional(short('the same, in the catalogue’s own records')),
    vendor: short('of the server or of the part'),
    filename: Type.Optional(short('of the image')),
    version: Type.Optional(Type.String({ maxLength: 256, description: 'that is in the image' })),
    version_unknown: Type.Optional(
      Type.Boolean({
        description:
          'instead of version: the image is installed whatever version is there, and the BMC tells which one it brought',
      }),
    ),
    component: Type.String({ minLength: 1, maxLength: 64, description: 'bmc, bios, nic, ...' }),
    URL: Type.Optional(Type.String({ maxLength: 4096, description: 'where the image is' })),
    url: Type.Optional(Type.String({ maxLength: 4096 })),
    repository_url: Type.Optional(Type.String({ maxLength: 4096 })),
    checksum: Type.Optional(short('sha256:..., sha512:..., md5:... or bare hex')),
    size: Type.Optional(Type.Integer({ minimum: 0, description: 'in bytes' })),
    models: Type.Optional(Type.Array(short('of server or part'), { maxItems: 500 })),
    model: Type.Optional(Type.Array(short('the same, in the catalogue’s own records'), { maxItems: 500 })),
    install_inband: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    oem: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    software_id: Type.Optional(short('the vendor’s own id of what the image is for')),
    software_ids: Type.Optional(Type.Array(short('the same, where there are several'), { maxItems: 1000 })),
    slots: Type.Optional(
      Type.Array(short('of the parts that it is installed on; all that it fits unless given'), { maxItems: 512 }),
    ),
  },
  { additionalProperties: true },
);

/** Parameters of a firmware install. */
export const FirmwareInstallSchema = Type.Object(
  {
    asset_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'the server; the target of the condition counts' }),
    ),
    firmware_set_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    'firmware-set-id': Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    firmwares: Type.Optional(Type.Array(FirmwareSchema, { maxItems: 200 })),
    force_install: Type.Optional(Type.Boolean({ description: 'install what is current too' })),
    dry_run: Type.Optional(Type.Boolean({ description: 'do all but what disrupts' })),
    reset_bmc_before_install: Type.Optional(Type.Boolean()),
    require_host_powered_off: Type.Optional(Type.Boolean({ description: 'fail if the host is on' })),
    allow_downgrade: Type.Optional(
      Type.Boolean({ description: 'false leaves out what is older than what is installed; true unless given' }),
    ),
    grace_period_seconds: GracePeriodSchema,
    boot_override: Type.Optional(
      Type.Enum(['auto', 'uefi-shell', 'pxe', 'as-configured'], {
        description: 'where the host boots when it is restarted; auto: UEFI shell if it was off',
      }),
    ),
  },
  { additionalProperties: false },
);

type Given = Static<typeof FirmwareInstallSchema>;
type GivenFirmware = NonNullable<Given['firmwares']>[number];

/** Checks the parameters of a firmware install and brings them into the form that is stored. */
export function createInstallCheck(options: {
  readonly areUnverifiedAllowed: boolean;
}): (parameters: JsonObject) => CheckedParameters {
  return createCheck(FirmwareInstallSchema, (given) => {
    const set = given.firmware_set_id ?? given['firmware-set-id'];
    const firmwares = given.firmwares ?? [];
    const problems = firmwares.flatMap((one, at) => problemsOf(one, options).map((text) => `firmwares.${at}: ${text}`));
    if (set === undefined && firmwares.length === 0) problems.push('firmware_set_id or firmwares has to be given');
    const parameters: JsonObject = {
      ...(given.asset_id === undefined ? {} : { asset_id: given.asset_id }),
      ...(set === undefined ? {} : { firmware_set_id: set }),
      firmwares: firmwares.map(normalFirmware),
      force_install: given.force_install ?? false,
      dry_run: given.dry_run ?? false,
      reset_bmc_before_install: given.reset_bmc_before_install ?? false,
      require_host_powered_off: given.require_host_powered_off ?? false,
      boot_override: given.boot_override ?? 'auto',
      // Only where it was said: what was asked for before there was this choice stays the same order.
      ...(given.allow_downgrade === undefined ? {} : { allow_downgrade: given.allow_downgrade }),
      ...graceIn(given),
    };
    return { parameters, problems };
  });
}

function problemsOf(given: GivenFirmware, options: { readonly areUnverifiedAllowed: boolean }): string[] {
  const { component, checksum = '' } = given;
  const problems: string[] = [];
  if (toComponent(component) === undefined) {
    problems.push(`there is no component ${component}; the components are ${firmwareComponents.join(', ')}`);
  }
  if (given.version_unknown !== true && (given.version ?? '') === '') problems.push('version is missing');
  const url = urlOf(given);
  if (url === '') problems.push('URL is missing');
  else problems.push(...whyNot(() => parseSource(url)));
  if (checksum.trim() !== '') problems.push(...whyNot(() => parseDigest(checksum)));
  else if (!options.areUnverifiedAllowed && given.install_inband !== true) {
    problems.push('checksum is missing; give the SHA-256 of the image');
  }
  return problems;
}

function whyNot(parse: () => unknown): string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (isFlasherError(error)) return [error.message];
    throw error;
  }
}

function urlOf(given: GivenFirmware): string {
  return (given.URL ?? given.url ?? given.repository_url ?? '').trim();
}

function softwareIdsOf({ software_id: one, software_ids: more = [] }: GivenFirmware): string[] {
  return [...new Set([one ?? '', ...more].map((id) => id.trim()).filter((id) => id !== ''))];
}

function normalFirmware(given: GivenFirmware): JsonObject {
  const { vendor, version = '', component, filename, checksum, size, software_id: softwareId } = given;
  const id = given.id ?? given.uuid ?? `${vendor}-${component}-${version}`;
  return {
    id,
    vendor,
    filename: filename ?? '',
    version,
    URL: urlOf(given),
    component,
    checksum: checksum?.trim() ?? '',
    models: given.models ?? given.model ?? [],
    install_inband: given.install_inband ?? false,
    oem: given.oem ?? false,
    ...(given.version_unknown === true ? { version_unknown: true } : {}),
    ...(size === undefined ? {} : { size }),
    ...(softwareId === undefined ? {} : { software_id: softwareId }),
    ...(given.software_ids === undefined ? {} : { software_ids: given.software_ids }),
    ...(given.slots === undefined ? {} : { slots: given.slots }),
  };
}

/** Stored parameters as the install uses them. They were checked when the condition was made. */
export function readInstallParameters(stored: JsonObject): InstallParameters {
  const given = stored as unknown as Given;
  return {
    firmwareSetId: given.firmware_set_id,
    firmwares: (given.firmwares ?? []).map(toFirmware),
    isForced: given.force_install === true,
    isDryRun: given.dry_run === true,
    doesResetBmcFirst: given.reset_bmc_before_install === true,
    mustHostBeOff: given.require_host_powered_off === true,
    mayGoBack: given.allow_downgrade !== false,
    boot: given.boot_override ?? 'auto',
    gracePeriodMs: readGracePeriod(given),
  };
}

/** A firmware of the catalogue's JSON, as the planner uses it. */
export function toFirmware(given: GivenFirmware): Firmware {
  const { size, version = '' } = given;
  const softwareIds = softwareIdsOf(given);
  return {
    id: given.id ?? given.uuid ?? `${given.vendor}-${given.component}-${version}`,
    vendor: given.vendor,
    component: toComponent(given.component) ?? 'other',
    version: given.version_unknown === true ? '' : version,
    filename: given.filename ?? '',
    url: urlOf(given),
    checksum: given.checksum ?? '',
    models: given.models ?? given.model ?? [],
    isInband: given.install_inband === true,
    ...(size === undefined ? {} : { sizeBytes: size }),
    ...(softwareIds.length === 0 ? {} : { softwareIds }),
    ...(given.slots === undefined || given.slots.length === 0 ? {} : { slots: given.slots }),
  };
}
