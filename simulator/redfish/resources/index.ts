export {
  confirm,
  type MessageOrder,
  makeErrorBody,
  makeMessage,
  refuse,
  refuseMethod,
  refuseMissing,
} from './errors.ts';
