import { Type } from 'typebox';
import { List, StringEnum, Struct, Text } from '../declare.ts';
import { Int32, IpAddress, Quantity } from './shapes.ts';

const storageStates = ['Enabled', 'Disabled', 'Absent'] as const;

const Neighbor = Struct({
  macAddress: Type.Optional(Text('MAC address (chassis id) of the neighbor.')),
  portID: Type.Optional(Text('Port of the neighbor this interface is plugged into.')),
  portDescription: Type.Optional(Text('What the neighbor says of that port.')),
  systemName: Type.Optional(Text('Name of the neighbor.')),
  systemDescription: Type.Optional(Text('What the neighbor says of itself.')),
});

/** A network interface of a server, with what LLDP saw on it. */
export const NetworkInterface = Struct({
  name: Text('Name of the interface.', { minLength: 1 }),
  ip: Type.Optional(Text('Deprecated: use ips.')),
  ips: Type.Optional(List(IpAddress('An address.'), { description: 'Addresses of the interface.', maxItems: 64 })),
  macAddress: Text('MAC address of the interface.'),
  carrierStatus: Type.Optional(Text('Whether the link is up.')),
  neighbors: Type.Optional(List(Neighbor, { description: 'LLDP neighbors.', maxItems: 64 })),
});

/** A processor of a server. */
export const Processor = Struct({
  id: Text('Name of the processor.', { minLength: 1 }),
  type: Type.Optional(Text('CPU, GPU, ...')),
  architecture: Type.Optional(Text('x86, ARM, ...')),
  instructionSet: Type.Optional(Text('x86-64, ARM-A64, ...')),
  manufacturer: Type.Optional(Text('Who makes it.')),
  model: Type.Optional(Text('Model of the processor.')),
  maxSpeedMHz: Type.Optional(Int32('Highest clock rate in MHz.')),
  totalCores: Type.Optional(Int32('Number of cores.')),
  totalThreads: Type.Optional(Int32('Number of threads.')),
});

const Drive = Struct({
  name: Type.Optional(Text('Name of the drive.')),
  mediaType: Type.Optional(Text('HDD, SSD, ...')),
  type: Type.Optional(Text('Protocol: SAS, NVMe, ...')),
  capacity: Type.Optional(Quantity('Size in bytes.')),
  vendor: Type.Optional(Text('Who makes it.')),
  model: Type.Optional(Text('Model of the drive.')),
  state: Type.Optional(StringEnum(storageStates, { description: 'State of the drive.' })),
});

const Volume = Struct({
  name: Type.Optional(Text('Name of the volume.')),
  capacity: Type.Optional(Quantity('Size in bytes.')),
  state: Type.Optional(StringEnum(storageStates, { description: 'State of the volume.' })),
  raidType: Type.Optional(Text('RAID type of the volume.')),
  volumeUsage: Type.Optional(Text('What the volume is used for.')),
});

/** A storage controller of a server with its volumes and drives. */
export const Storage = Struct({
  name: Type.Optional(Text('Name of the storage controller.')),
  state: Type.Optional(StringEnum(storageStates, { description: 'State of the controller.' })),
  volumes: Type.Optional(List(Volume, { description: 'Volumes on it.' })),
  drives: Type.Optional(List(Drive, { description: 'Drives behind it.' })),
});
