const legalForms = /\b(?:inc|incorporated|ltd|limited|llc|corp|corporation|co|company|gmbh|ag|plc|group)\b\.?/g;
const longestName = 200;

/** Makers whose names are known in all their spellings. */
export type Vendor = keyof typeof spellings;

/**
 * What each maker is called in inventories and catalogues, as it reads after `fold`: small letters and digits, without
 * `Inc.` and the like. Names of one company's parts that changed hands stay apart where their versions do.
 */
const spellings = {
  dell: ['dell', 'dellemc', 'delltechnologies'],
  hpe: ['hpe', 'hp', 'hewlettpackardenterprise', 'hewlettpackard', 'hewlettpackardent'],
  lenovo: ['lenovo', 'lenovoglobaltechnology', 'lenovodatacentergroup', 'lenovobeijing', 'lnvo'],
  supermicro: ['supermicro', 'supermicrocomputer', 'smci'],
  fujitsu: ['fujitsu', 'fujitsusiemens', 'fujitsutechnologysolutions', 'fsc'],
  cisco: ['cisco', 'ciscosystems'],
  huawei: ['huawei', 'huaweitechnologies', 'xfusion'],
  inspur: ['inspur', 'ieit', 'ieitsystems'],
  quanta: ['quanta', 'quantacloudtechnology', 'quantacomputer', 'qct'],
  gigabyte: ['gigabyte', 'gigabytetechnology', 'gigacomputing', 'gigacomputingtechnology'],
  asrockrack: ['asrockrack', 'asrock'],
  asus: ['asus', 'asustek', 'asustekcomputer'],
  openbmc: ['openbmc'],
  ami: ['ami', 'americanmegatrends', 'americanmegatrendsinternational'],
  intel: ['intel', 'intelr'],
  solidigm: ['solidigm', 'skhynixnandproductsolutions'],
  broadcom: ['broadcom', 'broadcomandsubsidiaries', 'brcm', 'avago', 'avagotechnologies', 'lsi', 'lsilogic', 'emulex'],
  nvidia: ['nvidia', 'mellanox', 'mellanoxtechnologies', 'nvidiamellanox', 'mlnx'],
  marvell: ['marvell', 'marvellsemiconductor', 'qlogic', 'cavium'],
  microchip: ['microchip', 'microsemi', 'adaptec', 'pmcsierra'],
  amd: ['amd', 'advancedmicrodevices', 'xilinx', 'pensando'],
  samsung: ['samsung', 'samsungelectronics', 'samsungsemiconductor'],
  micron: ['micron', 'microntechnology', 'crucial'],
  kioxia: ['kioxia', 'kioxiaholdings', 'toshiba', 'toshibamemory'],
  seagate: ['seagate', 'seagatetechnology'],
  'western-digital': ['westerndigital', 'wdc', 'wd', 'hgst', 'sandisk'],
  'sk-hynix': ['skhynix', 'hynix', 'skhynixsemiconductor'],
  delta: ['delta', 'deltaelectronics'],
  liteon: ['liteon', 'lteon', 'liteontechnology'],
} as const satisfies Record<string, readonly string[]>;

const byName: ReadonlyMap<string, Vendor> = new Map(
  (Object.keys(spellings) as Vendor[]).flatMap((vendor) =>
    [fold(vendor), ...spellings[vendor]].map((name) => [name, vendor] as const),
  ),
);

/** A maker's name as somebody wrote it, and whom it means. */
export interface VendorSpelling {
  /** As it was written; for showing. */
  readonly raw: string;
  /** Undefined for makers that are not in the table. */
  readonly vendor: Vendor | undefined;
  /** Equal for two spellings of one maker, also of unknown ones; for comparing and as a key. */
  readonly key: string;
}

/** Reads a maker's name: `Dell Inc.`, `DELL` and `Dell EMC` are one, and `Acme Corp.` is the same as `ACME`. */
export function readVendor(raw: string): VendorSpelling {
  const folded = fold(raw);
  const vendor = byName.get(folded);
  return { raw, vendor, key: vendor ?? folded };
}

/** True when both texts name one maker; a text without a letter or digit names nobody. */
export function isSameVendor(one: string, other: string): boolean {
  const { key } = readVendor(one);
  return key !== '' && key === readVendor(other).key;
}

function fold(raw: string): string {
  const plain = raw
    .slice(0, longestName)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\(r\)|\(tm\)|[®™]/g, ' ');
  const bare = plain.replaceAll(legalForms, ' ').replaceAll(/[^\p{L}\p{N}]/gu, '');
  // A name that is nothing but a legal form is a name after all.
  return bare === '' ? plain.replaceAll(/[^\p{L}\p{N}]/gu, '') : bare;
}
