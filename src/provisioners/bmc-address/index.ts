export { type DriverInfo, driverInfoOf } from './driver-info.ts';
export { type BmcAddressReading, type HostBmcAddress, readBmcAddress } from './read-bmc-address.ts';
export { type BmcScheme, bmcSchemes, type DriverInterfaces } from './schemes.ts';
