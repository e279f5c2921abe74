export { endFailure } from './failure.ts';
export { finishSilently, moveOn, type Operation, operate, type Specials } from './make-move.ts';
export {
  type AskMove,
  ask,
  askAfterFailure,
  askAgain,
  failFirst,
  finish,
  inUse,
  type Move,
  type MoveTable,
  type Row,
  register,
  rows,
  type Seen,
  special,
  wait,
  waitShortly,
  whyFailed,
} from './move.ts';
