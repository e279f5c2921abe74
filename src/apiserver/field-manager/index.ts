export {
  type ApplyRequest,
  createFieldManager,
  type FieldManager,
  type FieldManagerOptions,
  type UpdateRequest,
} from './field-manager.ts';
export { equalIgnoringManagedFieldsTimestamps } from './same-object.ts';
