export { explainMessages, idsOf, meaningOf } from './failure-words.ts';
export { type FoundTask, findTask, isTaskUri, toTaskUri } from './find-task.ts';
export {
  jobOf,
  listJobUris,
  listTaskUris,
  readJobs,
  readTask,
  readTasks,
  type TaskAnswer,
  type TaskList,
  type TaskPaths,
} from './read-task.ts';
export { parseTask, type TaskSnapshot, type VendorJob } from './task.ts';
export { type ProgressContext, progressOfTask } from './task-progress.ts';
