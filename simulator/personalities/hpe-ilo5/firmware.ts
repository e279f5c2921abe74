import { driveLines } from '../parts/part-lines.ts';
import { type ReleaseLine, releases } from '../parts/release-line.ts';

const board = (name: string, softwareId: string, list: ReleaseLine['releases']): ReleaseLine => ({
  softwareId,
  component: 'other',
  name,
  releases: list,
});

/** Everything HPE has released for the simulated Gen10 servers; the order is the order of the inventory. */
export const ilo5Lines: readonly ReleaseLine[] = [
  {
    softwareId: '4764a662-b342-4fc7-9ce9-258c5d99e815',
    component: 'bmc',
    name: 'iLO 5',
    releases: releases(
      ['2.72 Sep 04 2022', '2022-09-04'],
      ['2.81 Dec 08 2022', '2022-12-08'],
      ['2.96 Aug 17 2023', '2023-08-17'],
      ['2.99 Dec 05 2023', '2023-12-05'],
      ['3.03 Apr 05 2024', '2024-04-05'],
    ),
  },
  {
    // The last digits spell U32, the family of the ROM.
    softwareId: '00000000-0000-0000-0000-000001553332',
    component: 'bios',
    name: 'System ROM',
    releases: releases(
      ['U32 v2.68 (07/14/2022)', '2022-07-14'],
      ['U32 v2.76 (02/09/2023)', '2023-02-09'],
      ['U32 v2.80 (04/20/2023)', '2023-04-20'],
      ['U32 v2.90 (07/20/2023)', '2023-07-20'],
      ['U32 v3.10 (12/14/2023)', '2023-12-14'],
    ),
  },
  board(
    'Intelligent Platform Abstraction Data',
    '4b0e8d2f-6f6b-4b54-9b1a-2f1c2d5a7c01',
    releases(['12.3.0 Build 17', '2022-05-03'], ['12.5.0 Build 21', '2023-06-06']),
  ),
  {
    softwareId: '7d7b2b4c-0b0f-4e30-8f6a-1b1e7d3a9c02',
    component: 'cpld',
    name: 'System Programmable Logic Device',
    releases: releases(['0x2A', '2020-02-10'], ['0x2F', '2021-11-08'], ['0x31', '2023-03-20']),
  },
  board(
    'Power Management Controller Firmware',
    '0f2c3a7e-5c44-4a3c-8a77-65c1b9d0e103',
    releases(['1.0.7', '2019-07-01'], ['1.0.8', '2021-04-12'], ['1.1.0', '2023-01-16']),
  ),
  {
    ...board(
      'Power Management Controller FW Bootloader',
      '0f2c3a7e-5c44-4a3c-8a77-65c1b9d0e104',
      releases(['1.1', '2019-07-01']),
    ),
    isUpdateable: false,
  },
  {
    ...board(
      'Redundant System ROM',
      '00000000-0000-0000-0000-000000000b32',
      releases(['U32 v2.62 (03/08/2022)', '2022-03-08']),
    ),
    isUpdateable: false,
  },
  board(
    'Intelligent Provisioning',
    '1c5f7a20-8b3e-4d0b-b0c8-f6f5f04c5105',
    releases(['3.72.18', '2022-07-18'], ['3.85.8', '2023-08-29']),
  ),
  board(
    'Innovation Engine (IE) Firmware',
    '2a6e1d58-3d77-4f9c-9b50-f1fd11b1c117',
    releases(['0.2.2.2', '2021-06-14'], ['0.2.3.0', '2022-10-24']),
  ),
  board(
    'Server Platform Services (SPS) Firmware',
    '2a6e1d58-3d77-4f9c-9b50-f1fd11b1c106',
    releases(['4.1.4.901', '2022-08-15'], ['4.1.5.2', '2023-09-11']),
  ),
  {
    ...board('Embedded Video Controller', '3b9f6c33-0e9e-4b55-a1a0-8e9f2f3f4107', releases(['2.5', '2018-01-15'])),
    isUpdateable: false,
  },
  {
    ...board('TPM Firmware', '5d4a3b21-9f8e-4c7d-b6a5-09f8e7d6c108', releases(['73.64.17568.6659', '2021-01-11'])),
    isUpdateable: false,
  },
  {
    softwareId: '6a7b8c9d-1e2f-4a3b-8c4d-5e6f7a8b9109',
    component: 'storage-controller',
    name: 'HPE Smart Array P408i-a SR Gen10',
    releases: releases(['5.00', '2022-03-14'], ['5.61', '2023-01-30'], ['6.52', '2023-11-13']),
  },
  {
    softwareId: '80861521-0000-4103-8000-3c0000000110',
    component: 'nic',
    name: 'HPE Ethernet 1Gb 4-port 366FLR Adapter',
    part: 'HPE Ethernet 1Gb 4-port 366FLR Adapter',
    releases: releases(['1.3089.0', '2021-05-10'], ['1.3227.0', '2022-06-27'], ['1.3429.0', '2023-06-19']),
  },
  {
    softwareId: '15b31015-0000-4590-8000-d30000000111',
    component: 'nic',
    name: 'HPE Eth 10/25Gb 2p 640SFP28 Adptr',
    part: 'HPE Eth 10/25Gb 2p 640SFP28 Adptr',
    releases: releases(['14.31.1200', '2021-09-06'], ['14.32.1010', '2022-05-30'], ['14.32.1900', '2024-01-22']),
  },
  ...['865414-B21', '865408-B21'].map(
    (part, at): ReleaseLine => ({
      softwareId: `9e8d7c6b-5a4f-4e3d-8c2b-1a0f9e8d711${2 + at}`,
      component: 'psu',
      name: 'Power Supply Firmware',
      part,
      releases: releases(['2.00', '2018-06-04'], ['2.03', '2021-02-15']),
    }),
  ),
  ...driveLines((drive) => `562340a5-304f-3030-3936-${Buffer.from(drive.model.slice(0, 6)).toString('hex')}`),
];
