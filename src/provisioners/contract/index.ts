export { type ContractOptions, describeProvisionerContract } from './contract.ts';
export { createDrive, type Drive } from './drive.ts';
export type { BmcLook, ContractSubject } from './subject.ts';
