import type { DriveChoice } from './hardware-plan.ts';
import { type ReleaseLine, releases } from './release-line.ts';

/** Disks that every vendor sells under its own part numbers. */
export const driveChoices = {
  samsungPm9a3: {
    model: 'SAMSUNG MZQL23T8HCLS-00A07',
    manufacturer: 'Samsung',
    capacityBytes: 3_840_755_982_336,
    mediaType: 'SSD',
    protocol: 'NVMe',
  },
  kioxiaCd6: {
    model: 'KIOXIA KCD61LUL3T84',
    manufacturer: 'KIOXIA',
    capacityBytes: 3_840_755_982_336,
    mediaType: 'SSD',
    protocol: 'NVMe',
  },
  micron5300: {
    model: 'MTFDDAK1T9TDS',
    manufacturer: 'Micron',
    capacityBytes: 1_920_383_410_176,
    mediaType: 'SSD',
    protocol: 'SATA',
  },
  seagateExos: {
    model: 'ST2400MM0159',
    manufacturer: 'Seagate',
    capacityBytes: 2_400_476_553_216,
    mediaType: 'HDD',
    protocol: 'SAS',
  },
} as const satisfies Record<string, DriveChoice>;

/** Firmware of those disks; the vendors pass it on under ids of their own. */
export function driveLines(idOf: (drive: DriveChoice) => string): ReleaseLine[] {
  const line = (drive: DriveChoice, list: ReleaseLine['releases']): ReleaseLine => ({
    softwareId: idOf(drive),
    component: 'drive',
    name: drive.model,
    part: drive.model,
    releases: list,
  });
  return [
    line(
      driveChoices.samsungPm9a3,
      releases(['GDC5302Q', '2021-06-04'], ['GDC5602Q', '2022-03-18'], ['GDC5902Q', '2023-05-09']),
    ),
    line(driveChoices.kioxiaCd6, releases(['0103', '2021-02-11'], ['0105', '2022-01-20'], ['0107', '2023-02-27'])),
    line(
      driveChoices.micron5300,
      releases(['D3MU001', '2020-03-02'], ['D3MU401', '2021-09-13'], ['D3MU801', '2023-04-24']),
    ),
    line(driveChoices.seagateExos, releases(['ST31', '2019-08-19'], ['ST36', '2021-05-31'], ['ST3B', '2023-01-16'])),
  ];
}

/** The capacities and speeds that memory comes in. */
export const dimmChoices = {
  samsungDdr4: { manufacturer: 'Samsung', partNumber: 'M393A4K40DB3-CWE', capacityMib: 32_768, speedMhz: 3200 },
  hynixDdr4: {
    manufacturer: 'Hynix Semiconductor',
    partNumber: 'HMA84GR7DJR4N-XN',
    capacityMib: 32_768,
    speedMhz: 3200,
  },
  micronDdr4: {
    manufacturer: 'Micron Technology',
    partNumber: '36ASF8G72PZ-3G2F1',
    capacityMib: 65_536,
    speedMhz: 3200,
  },
  samsungDdr4Slow: { manufacturer: 'Samsung', partNumber: 'M393A4K40CB2-CTD', capacityMib: 32_768, speedMhz: 2666 },
  hynixDdr5: { manufacturer: 'Hynix', partNumber: 'HMCG88AEBRA115N', capacityMib: 32_768, speedMhz: 4800 },
  samsungDdr5: { manufacturer: 'Samsung', partNumber: 'M321R8GA0BB0-CQKZJ', capacityMib: 65_536, speedMhz: 4800 },
} as const;

/** Processors of the generations the simulated models have. */
export const processorChoices = {
  gold6230: { model: 'Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz', cores: 20, threads: 40, maxSpeedMhz: 3900 },
  gold6248r: { model: 'Intel(R) Xeon(R) Gold 6248R CPU @ 3.00GHz', cores: 24, threads: 48, maxSpeedMhz: 4000 },
  gold6330: { model: 'Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz', cores: 28, threads: 56, maxSpeedMhz: 3100 },
  platinum8380: { model: 'Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz', cores: 40, threads: 80, maxSpeedMhz: 3400 },
  gold6430: { model: 'Intel(R) Xeon(R) Gold 6430', cores: 32, threads: 64, maxSpeedMhz: 3400 },
  platinum8480: { model: 'Intel(R) Xeon(R) Platinum 8480+', cores: 56, threads: 112, maxSpeedMhz: 3800 },
  altraQ80: { model: 'Ampere(R) Altra(R) Processor Q80-30', cores: 80, threads: 80, maxSpeedMhz: 3000 },
  altraM128: { model: 'Ampere(R) Altra(R) Max Processor M128-30', cores: 128, threads: 128, maxSpeedMhz: 3000 },
} as const;
