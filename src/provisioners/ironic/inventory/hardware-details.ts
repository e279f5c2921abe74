import type { HardwareDetails, Nic, Storage } from '../../../api/index.ts';
import { type JsonObject, numberOf, objectOf, objectsOf, textOf, textsOf } from '../client/index.ts';

/** What a host consists of, from what Ironic keeps of its last inspection. */
export function hardwareDetailsOf(stored: JsonObject): HardwareDetails {
  const inventory = objectOf(stored.inventory);
  const plugins = objectOf(stored.plugin_data);
  const vendor = objectOf(inventory.system_vendor);
  const firmware = objectOf(vendor.firmware);
  return defined({
    systemVendor: defined({
      manufacturer: textOf(vendor.manufacturer),
      productName: textOf(vendor.product_name),
      serialNumber: textOf(vendor.serial_number),
    }),
    firmware: {
      bios: defined({
        date: textOf(firmware.build_date),
        vendor: textOf(firmware.vendor),
        version: textOf(firmware.version),
      }),
    },
    ramMebibytes: numberOf(objectOf(inventory.memory).physical_mb) ?? 0,
    nics: objectsOf(inventory.interfaces).flatMap((each) => nicsOf(each, plugins)),
    storage: objectsOf(inventory.disks).map(storageOf),
    cpu: cpuOf(objectOf(inventory.cpu)),
    hostname: textOf(inventory.hostname),
  });
}

/** One entry for each address; one without any address is listed too. */
function nicsOf(raw: JsonObject, plugins: JsonObject): Nic[] {
  const name = textOf(raw.name) ?? '';
  const lldp = objectOf(objectOf(plugins.parsed_lldp)[name]);
  const nic = defined({
    name,
    model: [raw.vendor, raw.product].flatMap((each) => textOf(each) ?? []).join(' '),
    mac: textOf(raw.mac_address),
    speedGbps: Math.floor((numberOf(raw.speed_mbps) ?? 0) / 1000),
    vlans: vlansOf(lldp),
    vlanId: numberOf(lldp.switch_port_untagged_vlan_id),
    pxe: objectOf(objectOf(plugins.all_interfaces)[name]).pxe_enabled === true,
    lldp: lldpOf(lldp),
    pciAddress: textOf(raw.pci_address),
  });
  const addresses = [textOf(raw.ipv4_address), textOf(raw.ipv6_address)].filter((each) => each !== undefined);
  return addresses.length === 0 ? [nic] : addresses.map((ip) => ({ ...nic, ip }));
}

function vlansOf(lldp: JsonObject): Nic['vlans'] {
  const vlans = objectsOf(lldp.switch_port_vlans).map((each) =>
    defined({ id: numberOf(each.id), name: textOf(each.name) }),
  );
  return vlans.length === 0 ? undefined : vlans;
}

function lldpOf(lldp: JsonObject): Nic['lldp'] {
  const heard = defined({
    switchID: textOf(lldp.switch_chassis_id),
    portID: textOf(lldp.switch_port_id),
    switchSystemName: textOf(lldp.switch_system_name),
  });
  return Object.keys(heard).length === 0 ? undefined : heard;
}

function storageOf(raw: JsonObject): Storage {
  const name = textOf(raw.name) ?? '';
  const byPath = textOf(raw.by_path);
  const rotational = raw.rotational === true;
  const solid = name.startsWith('/dev/nvme') ? 'NVME' : 'SSD';
  return defined({
    name: byPath ?? name,
    alternateNames: byPath === undefined ? [name] : [name, byPath],
    rotational,
    type: rotational ? 'HDD' : solid,
    sizeBytes: numberOf(raw.size) ?? 0,
    vendor: textOf(raw.vendor),
    model: textOf(raw.model),
    serialNumber: textOf(raw.serial),
    wwn: textOf(raw.wwn),
    wwnVendorExtension: textOf(raw.wwn_vendor_extension),
    wwnWithExtension: textOf(raw.wwn_with_extension),
    hctl: textOf(raw.hctl),
  } as const);
}

function cpuOf(raw: JsonObject): NonNullable<HardwareDetails['cpu']> {
  return defined({
    arch: textOf(raw.architecture),
    model: textOf(raw.model_name),
    clockMegahertz: Math.round(Number.parseFloat(String(raw.frequency ?? '0'))) || 0,
    flags: [...textsOf(raw.flags)].sort(),
    count: numberOf(raw.count) ?? 0,
  });
}

type Defined<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** Without the members that are not known. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
}
