import { type Static, Type } from 'typebox';
import type { BiosValue } from '../../bmc/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { parseDigest, parseSource } from '../../firmware-store/index.ts';
import { isFlasherError } from '../errors.ts';
import { createCheck } from './check-parameters.ts';
import { GracePeriodSchema, graceIn, readGracePeriod } from './grace-period.ts';

const assetId = Type.Optional(
  Type.String({ maxLength: 64, description: 'the server; the target of the condition counts' }),
);

/** Parameters of an inventory by way of the BMC. */
export const InventorySchema = Type.Object(
  {
    asset_id: assetId,
    collect_bios_cfg: Type.Optional(Type.Boolean({ description: 'the BIOS settings too' })),
    collect_firmware_status: Type.Optional(Type.Boolean({ description: 'taken for compatibility: it is always read' })),
    inventory_method: Type.Optional(Type.Enum(['outofband'])),
  },
  { additionalProperties: false },
);

/** Checks the parameters of an inventory. */
export const checkInventory = createCheck(InventorySchema, (given) => ({
  parameters: { collect_bios_cfg: given.collect_bios_cfg ?? false, inventory_method: 'outofband' },
  problems: [],
}));

/** Parameters of a change of power. */
export const PowerSchema = Type.Object(
  {
    asset_id: assetId,
    force: Type.Optional(
      Type.Boolean({
        description:
          'do not wait for firmware that the BMC is writing; powerOff: do not let the operating system shut down first either',
      }),
    ),
    grace_period_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3600,
        description: 'how long an operating system may take to shut down; 0: powerOff does not ask it to',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Checks the parameters of a change of power. */
export const checkPower = createCheck(PowerSchema, (given) => ({
  parameters: { force: given.force ?? false, grace_period_seconds: given.grace_period_seconds ?? 300 },
  problems: [],
}));

/** Stored parameters of a change of power. */
export function readPowerParameters(stored: JsonObject): {
  readonly isForced: boolean;
  readonly gracePeriodMs: number;
} {
  const given = stored as Static<typeof PowerSchema>;
  return { isForced: given.force === true, gracePeriodMs: (given.grace_period_seconds ?? 300) * 1000 };
}

/** Parameters of a change of BIOS settings. */
export const BiosSchema = Type.Object(
  {
    asset_id: assetId,
    action: Type.Enum(['set_config', 'reset_config']),
    attributes: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 256 }),
        Type.Union([Type.String({ maxLength: 4096 }), Type.Number(), Type.Boolean()]),
      ),
    ),
    bios_config_url: Type.Optional(
      Type.String({ maxLength: 4096, description: 'where a JSON file with attributes is' }),
    ),
    bios_config_checksum: Type.Optional(Type.String({ maxLength: 256 })),
    reset_host: Type.Optional(
      Type.Boolean({ description: 'restart the host so that it takes effect; true unless given' }),
    ),
    grace_period_seconds: GracePeriodSchema,
    force: Type.Optional(Type.Boolean({ description: 'restart it although the BMC is writing firmware' })),
  },
  { additionalProperties: false },
);

/** Checks the parameters of a change of BIOS settings. */
export const checkBios = createCheck(BiosSchema, (given) => {
  const { action, attributes, bios_config_url: url, bios_config_checksum: checksum } = given;
  const problems: string[] = [];
  const hasAttributes = Object.keys(attributes ?? {}).length > 0;
  if (action === 'set_config' && hasAttributes === (url !== undefined)) {
    problems.push('set_config needs either attributes or bios_config_url');
  }
  if (action === 'reset_config' && (hasAttributes || url !== undefined)) {
    problems.push('reset_config takes neither attributes nor bios_config_url');
  }
  if (url !== undefined) problems.push(...whyNot(() => parseSource(url)));
  if (checksum !== undefined) problems.push(...whyNot(() => parseDigest(checksum)));
  const parameters: JsonObject = {
    action,
    ...(hasAttributes ? { attributes: attributes ?? {} } : {}),
    ...(url === undefined ? {} : { bios_config_url: url }),
    ...(checksum === undefined ? {} : { bios_config_checksum: checksum }),
    reset_host: given.reset_host ?? true,
    ...graceIn(given),
    ...(given.force === true ? { force: true } : {}),
  };
  return { parameters, problems };
});

/** What BIOS settings shall be. */
export interface BiosParameters {
  readonly action: 'set_config' | 'reset_config';
  readonly attributes: Readonly<Record<string, BiosValue>> | undefined;
  readonly url: string | undefined;
  readonly checksum: string | undefined;
  readonly doesResetHost: boolean;
  /** How long the system of the host may take to shut down; undefined: its power is cut at once. */
  readonly gracePeriodMs?: number | undefined;
}

/** Stored parameters of a change of BIOS settings. */
export function readBiosParameters(stored: JsonObject): BiosParameters {
  const given = stored as unknown as Static<typeof BiosSchema>;
  return {
    action: given.action,
    attributes: given.attributes,
    url: given.bios_config_url,
    checksum: given.bios_config_checksum,
    doesResetHost: given.reset_host !== false,
    gracePeriodMs: readGracePeriod(given),
  };
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
