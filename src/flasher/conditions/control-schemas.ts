import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import { isStoreError, parseSource } from '../../firmware-store/index.ts';
import { createCheck } from './check-parameters.ts';

const assetId = Type.Optional(
  Type.String({ maxLength: 64, description: 'the server; the target of the condition counts' }),
);

/** Boot devices by the names that shipped, as Redfish calls them; `none` takes the override away. */
export const bootDevices: Readonly<Record<string, string>> = {
  bios: 'BiosSetup',
  cdrom: 'Cd',
  diag: 'Diags',
  disk: 'Hdd',
  floppy: 'Floppy',
  none: 'None',
  pxe: 'Pxe',
  remote_drive: 'RemoteDrive',
  sd_card: 'SDCard',
  uefi_http: 'UefiHttp',
  uefi_shell: 'UefiShell',
  usb: 'Usb',
  utilities: 'Utilities',
};

const served = ['get_power_state', 'set_next_boot_device', 'pxe_boot_persistent', 'power_cycle_bmc'] as const;

/** What is done to a server with `serverControl`. */
export type ControlAction = (typeof served)[number];

/** Parameters of a control of a server, as they shipped. */
export const ServerControlSchema = Type.Object(
  {
    asset_id: assetId,
    action: Type.String({ maxLength: 64, description: `one of ${served.join(', ')}, or set_power_state` }),
    action_parameter: Type.Optional(Type.String({ maxLength: 64, description: 'the boot device, or the power state' })),
    set_next_boot_device_persistent: Type.Optional(Type.Boolean({ description: 'for every boot, not only the next' })),
    set_next_boot_device_efi: Type.Optional(Type.Boolean({ description: 'boot it by UEFI' })),
    force: Type.Optional(
      Type.Boolean({ description: 'restart the BMC or the host although the BMC is writing firmware' }),
    ),
    validate_firmware_timeout: Type.Optional(Type.Integer({ minimum: 0, description: 'taken for compatibility' })),
  },
  { additionalProperties: false },
);

/** Checks the parameters of a control of a server. */
export const checkServerControl = createCheck(ServerControlSchema, (given) => {
  const { action, action_parameter: device = '' } = given;
  const parameters: JsonObject = {
    action,
    ...(action === 'set_next_boot_device'
      ? {
          action_parameter: device,
          set_next_boot_device_persistent: given.set_next_boot_device_persistent ?? false,
          set_next_boot_device_efi: given.set_next_boot_device_efi ?? false,
        }
      : {}),
    ...(given.force === true ? { force: true } : {}),
  };
  return { parameters, problems: problemsOf(action, device) };
});

function problemsOf(action: string, device: string): string[] {
  if (action === 'set_power_state') {
    return ['action_parameter: it must be one of on, off, soft, cycle, reset for set_power_state'];
  }
  if (action === 'validate_firmware') return ['action: firmware is validated by POST /api/v1/validateFirmware'];
  if (!served.some((one) => one === action)) return [`action: it must be one of ${served.join(', ')}, set_power_state`];
  if (action !== 'set_next_boot_device' || Object.hasOwn(bootDevices, device)) return [];
  return [`action_parameter: it must be one of ${Object.keys(bootDevices).join(', ')}`];
}

/** Stored parameters of a control of a server. */
export function readServerControl(stored: JsonObject) {
  const given = stored as unknown as Static<typeof ServerControlSchema>;
  return {
    action: given.action as ControlAction,
    device: given.action_parameter ?? '',
    isPersistent: given.set_next_boot_device_persistent === true,
    isUefi: given.set_next_boot_device_efi === true,
  };
}

/** Parameters of a virtual medium, as they shipped; `eject` takes it out again. */
export const VirtualMediaSchema = Type.Object(
  {
    asset_id: assetId,
    mount_method: Type.Optional(Type.String({ maxLength: 16, description: 'url' })),
    image_uri: Type.Optional(Type.String({ maxLength: 4096, description: 'where the BMC fetches the image from' })),
    media_type: Type.Optional(Type.Enum(['iso', 'floppy'])),
    eject: Type.Optional(Type.Boolean({ description: 'take out what is in; image_uri is not needed then' })),
  },
  { additionalProperties: false },
);

/** Checks the parameters of a virtual medium. */
export const checkVirtualMedia = createCheck(VirtualMediaSchema, (given) => {
  const { image_uri: image, mount_method: method = 'url', media_type: type = 'iso', eject = false } = given;
  const problems: string[] = [];
  if (method !== 'url') problems.push('mount_method: only url is served; put the image where the BMC can fetch it');
  if (image === undefined && !eject) problems.push('image_uri is missing');
  if (image !== undefined && !eject) problems.push(...whyNotServed(image));
  const medium = eject || image === undefined ? {} : { image_uri: image };
  return { parameters: { mount_method: 'url', media_type: type, eject, ...medium }, problems };
});

function whyNotServed(image: string): string[] {
  try {
    const { protocol } = parseSource(image);
    return protocol === 'file:' ? ['image_uri: a BMC cannot fetch a file of this machine; use https or http'] : [];
  } catch (error) {
    if (isStoreError(error)) return [`image_uri: ${error.message}`];
    throw error;
  }
}

/** Stored parameters of a virtual medium. */
export function readVirtualMedia(stored: JsonObject) {
  const given = stored as unknown as Static<typeof VirtualMediaSchema>;
  return { image: given.eject === true ? undefined : given.image_uri, type: given.media_type ?? 'iso' };
}
