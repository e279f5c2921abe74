/** What the name of a Lenovo package tells: `lnvgy_fw_xcc_afbt58b-5.90_anyos_noarch`. */
export interface LenovoFixId {
  /** Of packages of a part's maker, who stands in front of `lnvgy` in short: `Broadcom` for `brcm`. */
  readonly maker: string | undefined;
  /** `fw` for firmware; `dd` are drivers, `utl` tools, `sw` software. */
  readonly kind: string;
  /** `xcc`, `uefi`, `nic`, ... */
  readonly subject: string;
  /** `AFBT58B-5.90`, as inventories show it, or the version alone. */
  readonly version: string;
}

const makers: Readonly<Record<string, string>> = {
  brcm: 'Broadcom',
  elx: 'Emulex',
  intc: 'Intel',
  mlnx: 'Mellanox',
  qlgc: 'QLogic',
};

/** No name or version is as long; what searches for one takes the square of the length, or more. */
export const longestSearch = 512;

/** Reads the name of a package, with or without folder and ending; undefined for other names. */
export function readFixId(text: string): LenovoFixId | undefined {
  const name = text.slice(text.lastIndexOf('/') + 1).replace(/\.(?:uxz|zip|xml|json|bin|exe|tgz|lvt)$/i, '');
  if (name.length > longestSearch) return undefined;
  const found = /^(?:([a-z0-9]+)-)?(?:lnvgy|ibm)_([a-z]+)_([a-z0-9]+)_(.+?)_([a-z0-9.]+)_([a-z0-9-]+)$/i.exec(name);
  if (found === null) return undefined;
  const [, maker, kind = '', subject = '', rest = ''] = found;
  const build = /(?:^|_)([a-z][0-9a-z]{6})-(\d[0-9a-z.]*)$/i.exec(rest);
  const version =
    build === null ? (/(\d+(?:\.\d+)+[0-9a-z.-]*)$/i.exec(rest)?.[1] ?? '') : `${build[1]?.toUpperCase()}-${build[2]}`;
  return {
    maker: makers[maker?.toLowerCase() ?? ''] ?? maker,
    kind: kind.toLowerCase(),
    subject: subject.toLowerCase(),
    version,
  };
}

const subjects: Readonly<Record<string, string>> = {
  xcc: 'bmc',
  bmc: 'bmc',
  imm2: 'bmc',
  uefi: 'bios',
  bios: 'bios',
  nic: 'nic',
  fc: 'nic',
  ib: 'nic',
  raid: 'storage-controller',
  hba: 'storage-controller',
  sashba: 'storage-controller',
  bootstor: 'storage-controller',
  hdd: 'drive',
  ssd: 'drive',
  drives: 'drive',
  psu: 'psu',
  cpld: 'cpld',
  tpm: 'tpm',
  gpu: 'gpu',
  fpga: 'cpld',
};

/** What a package is for, by the word in its name; undefined for words that are not known. */
export function componentOfSubject(subject: string): string | undefined {
  return Object.hasOwn(subjects, subject) ? subjects[subject] : undefined;
}
