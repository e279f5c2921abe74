import type { ComponentType } from '../bmc.ts';
import { barePath } from '../redfish/index.ts';

type Rule = readonly [RegExp, ComponentType];

/** What an item that firmware belongs to tells of it. */
const pathRules: readonly Rule[] = [
  [/\/Bios$/i, 'bios'],
  [/\/(?:NetworkAdapters|NetworkInterfaces|EthernetInterfaces|NetworkDeviceFunctions)\//i, 'nic'],
  [/\/Drives?\/[^/]+$/i, 'drive'],
  [/\/(?:Storage|SimpleStorage|StorageControllers|Controllers|HostBusAdapters)\/[^/]+$/i, 'storage-controller'],
  [/\/PowerSupplies\/[^/]+$|PowerSupplies\/\d+$/i, 'psu'],
  [/\/Processors\/[^/]*GPU[^/]*$|\/GraphicsControllers\//i, 'gpu'],
  [/\/Managers\/[^/]+$/i, 'bmc'],
];

/** What names tell. The first that fits counts, so the more special come first. */
const wordRules: readonly Rule[] = [
  [/_ME$|management engine|\bsps\b/i, 'other'],
  [/erot|cec\b|retimer|inforom|pciesw|nvswitch|nvlink/i, 'other'],
  [/driver|diagnostic|lxpm|provisioning|os ?collector|os driver/i, 'other'],
  [/\btpm\b|trusted platform/i, 'tpm'],
  [/cpld|programmable logic|fpga/i, 'cpld'],
  [/\bpsu|power ?supply|^pws|_psu|\b\d{3,4}w\b/i, 'psu'],
  [/gpu|graphics|accelerator|\bvga\b|video/i, 'gpu'],
  [
    /\b(?:i?nic|ethernet|network|infiniband|lom|ocp|hca|connectx|netxtreme|gigabit|fibre|fc hba)|\bnic|_nic|\beth\b|sfp\d*\b|bcm ?57|mellanox|10g(?:be|b)?\b/i,
    'nic',
  ],
  [
    /raid|\bhba\b|storage ?(?:controller|bridge)|smart ?array|perc\b|boss\b|megaraid|\bmr\d{3}|\bsr\d{3}|\bahci\b|sas ?(?:controller|expander)/i,
    'storage-controller',
  ],
  [/disk|drive|ssd|nvme|\bhdd\b|bay\s?\d/i, 'drive'],
  [/bios|uefi|system rom/i, 'bios'],
  [/(?:^|[^a-z])(?:bmc|xcc|imm\d?)(?![a-z])|idrac|remote access controller|\bilo\b|baseboard management/i, 'bmc'],
];

/** What a piece of firmware runs on, from what it belongs to and, if that does not tell, from its names. */
export function componentOf(about: {
  readonly relatedItems: readonly string[];
  readonly names: readonly (string | undefined)[];
}): ComponentType {
  for (const item of about.relatedItems) {
    const rule = pathRules.find(([pattern]) => pattern.test(barePath(item)));
    if (rule !== undefined) return rule[1];
  }
  for (const name of about.names) {
    const rule = name === undefined ? undefined : wordRules.find(([pattern]) => pattern.test(name));
    if (rule !== undefined) return rule[1];
  }
  return 'other';
}
