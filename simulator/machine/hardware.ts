/** A processor socket and what is in it. */
export interface ProcessorPart {
  readonly slot: string;
  readonly model: string;
  readonly cores: number;
  readonly threads: number;
  readonly maxSpeedMhz: number;
}

/** A memory module. */
export interface DimmPart {
  readonly slot: string;
  readonly capacityMib: number;
  readonly speedMhz: number;
  readonly manufacturer: string;
  readonly partNumber: string;
  readonly serial: string;
}

/** A disk. */
export interface DrivePart {
  /** As the vendor names the bay: `Disk.Bay.0:Enclosure.Internal.0-1`, `Bay1` ... */
  readonly slot: string;
  readonly model: string;
  readonly manufacturer: string;
  readonly serial: string;
  readonly capacityBytes: number;
  readonly mediaType: 'SSD' | 'HDD';
  readonly protocol: 'NVMe' | 'SAS' | 'SATA';
}

/** One port of a network adapter. */
export interface NicPort {
  /** `NIC.Integrated.1-1-1`, `1`, `eth0` ... */
  readonly id: string;
  readonly mac: string;
  readonly speedMbps: number;
}

/** A network adapter. */
export interface NicPart {
  /** `NIC.Integrated.1`, `DE07A000`, `slot-1` ... */
  readonly slot: string;
  readonly model: string;
  readonly manufacturer: string;
  readonly serial: string;
  readonly ports: readonly NicPort[];
}

/** The parts of one server. They never change while the simulator runs. */
export interface Hardware {
  readonly model: string;
  readonly sku: string;
  readonly serial: string;
  readonly uuid: string;
  readonly boardSerial: string;
  readonly bmcMac: string;
  readonly bmcSerial: string;
  readonly processors: readonly ProcessorPart[];
  readonly dimms: readonly DimmPart[];
  readonly drives: readonly DrivePart[];
  readonly nics: readonly NicPart[];
  readonly psus: readonly { readonly slot: string; readonly model: string; readonly serial: string }[];
}
