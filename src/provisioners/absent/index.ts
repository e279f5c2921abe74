export { type AbsenceOptions, createAbsentProvisioners } from './absent-provisioners.ts';
