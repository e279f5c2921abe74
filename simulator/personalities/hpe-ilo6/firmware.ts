import { driveLines } from '../parts/part-lines.ts';
import { type ReleaseLine, releases } from '../parts/release-line.ts';

const board = (name: string, softwareId: string, list: ReleaseLine['releases']): ReleaseLine => ({
  softwareId,
  component: 'other',
  name,
  releases: list,
});

/** Everything HPE has released for the simulated Gen11 servers; the order is the order of the inventory. */
export const ilo6Lines: readonly ReleaseLine[] = [
  {
    softwareId: '5764a662-b342-4fc7-9ce9-258c5d99e816',
    component: 'bmc',
    name: 'iLO 6',
    releases: releases(
      ['1.30 Apr 14 2023', '2023-04-14'],
      ['1.50 Aug 11 2023', '2023-08-11'],
      ['1.53 Oct 02 2023', '2023-10-02'],
      ['1.57 Mar 07 2024', '2024-03-07'],
      ['1.58 May 10 2024', '2024-05-10'],
    ),
  },
  {
    // The last digits spell U54, the family of the ROM.
    softwareId: '00000000-0000-0000-0000-000001553534',
    component: 'bios',
    name: 'System ROM',
    releases: releases(
      ['U54 v1.32 (03/23/2023)', '2023-03-23'],
      ['U54 v1.44 (06/29/2023)', '2023-06-29'],
      ['U54 v1.46 (09/28/2023)', '2023-09-28'],
      ['U54 v2.12 (12/13/2023)', '2023-12-13'],
      ['U54 v2.16 (03/01/2024)', '2024-03-01'],
    ),
  },
  board(
    'Intelligent Platform Abstraction Data',
    '4b0e8d2f-6f6b-4b54-9b1a-2f1c2d5a7c21',
    releases(['11.4.0 Build 6', '2023-02-07'], ['12.7.0 Build 3', '2023-10-16']),
  ),
  {
    softwareId: '7d7b2b4c-0b0f-4e30-8f6a-1b1e7d3a9c22',
    component: 'cpld',
    name: 'System Programmable Logic Device',
    releases: releases(['0x16', '2022-12-12'], ['0x18', '2023-05-15'], ['0x1B', '2024-01-15']),
  },
  board(
    'Power Management Controller Firmware',
    '0f2c3a7e-5c44-4a3c-8a77-65c1b9d0e123',
    releases(['1.0.3', '2022-11-14'], ['1.0.5', '2023-07-10']),
  ),
  {
    ...board(
      'Power Management Controller FW Bootloader',
      '0f2c3a7e-5c44-4a3c-8a77-65c1b9d0e124',
      releases(['1.1', '2022-11-14']),
    ),
    isUpdateable: false,
  },
  {
    ...board(
      'Redundant System ROM',
      '00000000-0000-0000-0000-000000000b54',
      releases(['U54 v1.20 (01/05/2023)', '2023-01-05']),
    ),
    isUpdateable: false,
  },
  board(
    'Intelligent Provisioning',
    '1c5f7a20-8b3e-4d0b-b0c8-f6f5f04c5125',
    releases(['4.10.20', '2023-03-13'], ['4.20.5', '2023-09-18']),
  ),
  board(
    'Innovation Engine (IE) Firmware',
    '2a6e1d58-3d77-4f9c-9b50-f1fd11b1c137',
    releases(['0.2.2.2', '2021-06-14'], ['0.2.3.0', '2022-10-24']),
  ),
  board(
    'Server Platform Services (SPS) Firmware',
    '2a6e1d58-3d77-4f9c-9b50-f1fd11b1c126',
    releases(['6.1.4.5', '2023-04-03'], ['6.1.4.47', '2023-11-20']),
  ),
  {
    ...board('Embedded Video Controller', '3b9f6c33-0e9e-4b55-a1a0-8e9f2f3f4127', releases(['2.5', '2022-01-17'])),
    isUpdateable: false,
  },
  {
    ...board('TPM Firmware', '5d4a3b21-9f8e-4c7d-b6a5-09f8e7d6c128', releases(['1.769', '2022-03-07'])),
    isUpdateable: false,
  },
  {
    softwareId: '6a7b8c9d-1e2f-4a3b-8c4d-5e6f7a8b9129',
    component: 'storage-controller',
    name: 'HPE MR416i-o Gen11',
    releases: releases(['52.22.3-4650', '2023-02-20'], ['52.24.3-4948', '2023-08-07'], ['52.26.3-5250', '2024-02-05']),
  },
  {
    softwareId: '14e41657-0000-4103-8000-228000000130',
    component: 'nic',
    name: 'BCM 5719 1Gb 4p BASE-T OCP Adptr',
    part: 'BCM5719 1Gb 4p BASE-T OCP Adptr',
    releases: releases(['20.24.31', '2022-12-05'], ['20.26.41', '2023-07-24'], ['20.28.41', '2024-02-26']),
  },
  {
    softwareId: '15b3101f-0000-4590-8000-2f0000000131',
    component: 'nic',
    name: 'Mellanox Network Adapter',
    part: 'MCX631102AS-ADAT 10/25GbE 2p',
    releases: releases(['26.34.1002', '2022-08-22'], ['26.36.1010', '2023-03-13'], ['26.39.1002', '2023-11-06']),
  },
  ...['P38995-B21', 'P44412-B21'].map(
    (part, at): ReleaseLine => ({
      softwareId: `9e8d7c6b-5a4f-4e3d-8c2b-1a0f9e8d713${2 + at}`,
      component: 'psu',
      name: 'Power Supply Firmware',
      part,
      releases: releases(['1.00', '2021-11-15'], ['1.02', '2023-02-13']),
    }),
  ),
  ...driveLines((drive) => `662340a5-304f-3030-3936-${Buffer.from(drive.model.slice(0, 6)).toString('hex')}`),
];
