import { hpeBios } from '../hpe/bios.ts';
import { choice, disabled } from '../parts/bios-table.ts';
import type { BiosAttribute } from '../personality.ts';

/** BIOS attributes of a Gen11 ProLiant: those of Gen10, without the legacy mode, and a few of its own. */
export const ilo6Bios: readonly BiosAttribute[] = [
  ...hpeBios.filter((attribute) => attribute.name !== 'BootMode'),
  choice('BootMode', 'Boot Mode', ['Uefi']),
  disabled('Sgx', 'Intel(R) Software Guard Extensions'),
  choice('CxlType3Mode', 'CXL Type 3 Mode', ['Auto', 'Disabled']),
];
