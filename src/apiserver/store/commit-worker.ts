import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { CommitLoop } from './commit-loop.ts';
import type { FromWriter, ToWriter, WriterOptions } from './commit-protocol.ts';
import { StoreError } from './errors.ts';

const port = parentPort;
if (port === null) throw new StoreError('writer-lost', 'the commit worker runs only as a worker thread');

const say = (message: FromWriter) => port.postMessage(message);
const receive = () => receiveMessageOnPort(port)?.message as ToWriter | undefined;
const loop = new CommitLoop({ say, receive, close: () => port.close() }, workerData as WriterOptions);
port.on('message', (message: ToWriter) => loop.run(message));
say({ did: 'start' });
loop.run();
