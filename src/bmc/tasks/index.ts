export { explainMessages, idsOf, meaningOf } from './failure-words.ts';
export { type FoundTask, findTask, isTaskUri, toTaskUri } from './find-task.ts';
export { jobOf, listTaskUris, readTask, readTasks, type TaskAnswer } from './read-task.ts';
export { parseTask, type TaskSnapshot, type VendorJob } from './task.ts';
export { type ProgressContext, progressOfTask } from './task-progress.ts';
