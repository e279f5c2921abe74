import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../kube/index.ts';
import { runCommand } from '../strategies/vendor-cli/run-command.ts';
import { openToolFolder } from '../strategies/vendor-cli/tool-folders.ts';

/** For tests: a command as vendor-cli runs it. */
export interface NotedCommand {
  readonly origin: string;
  readonly credentials: string;
  readonly command: readonly [string, ...string[]];
  /** Told the folder that it runs in, before it begins. */
  readonly onStart?: (folder: string) => void;
}

/** For tests: runs a command as vendor-cli does, in a folder that says whose it is. */
export async function runNotedCommand({ origin, credentials, command, onStart }: NotedCommand): Promise<void> {
  const [program, ...words] = command;
  const folder = await openToolFolder(origin);
  const credentialsFile = join(folder.path, 'credentials');
  writeFileSync(credentialsFile, credentials, { mode: 0o600 });
  const deadlineMs = 3_600_000;
  try {
    await runCommand({
      command: [program, ...words.map((word) => word.replace('{credentialsFile}', credentialsFile))],
      cwd: folder.path,
      environment: { PATH: process.env.PATH ?? '' },
      deadlineMs,
      signal: new AbortController().signal,
      clock: systemClock,
      secrets: [],
      onStart: async (group) => {
        await folder.note(group, Date.now() + deadlineMs);
        onStart?.(folder.path);
      },
    });
  } finally {
    await folder.remove();
  }
}
