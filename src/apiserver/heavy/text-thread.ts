import { parentPort, workerData } from 'node:worker_threads';
import { doTextTask, type TextTask } from './text-task.ts';

const { mostValues } = workerData as { readonly mostValues: number };

parentPort?.on('message', (task: TextTask) => parentPort?.postMessage(doTextTask(task, mostValues)));
