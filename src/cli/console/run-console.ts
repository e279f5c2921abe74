import type { RequestListener } from 'node:http';
import { usageError } from '../errors.ts';
import { readOptionFile } from '../read-option-file.ts';
import type { Settings } from '../settings.ts';
import { runUntilInterrupted } from '../stop.ts';
import type { Terminal } from '../terminal.ts';
import type { consoleSettings } from './commands.ts';
import { openClusterConsole } from './open-cluster-console.ts';
import { passOn, refuse } from './pass-on.ts';

type ConsoleSettings = Settings<(typeof consoleSettings)[number]>;

const usualPort = 7442;

/** Serves the console of a cluster until it is told to stop. */
export async function runConsole(settings: ConsoleSettings, terminal: Terminal): Promise<void> {
  const { kubeconfig, consolePort: port = usualPort } = settings;
  if (kubeconfig === undefined) {
    throw usageError('--kubeconfig is missing: whose objects are shown; "rackwright up" serves a console of its own');
  }
  const rest = restOf(settings);
  const console = await openClusterConsole({ ...settings, kubeconfig }, { port, rest }, terminal);
  terminal.out(
    [
      `Console of ${console.server}`,
      `  Console          ${console.url}`,
      '  Tokens are those of the cluster ("kubectl create token"); whoever looks sees what theirs allows.',
      '',
      'Ctrl-C stops it.',
      '',
    ].join('\n'),
  );
  await runUntilInterrupted(terminal, () => console.close());
}

function restOf({ restUrl, caFile }: ConsoleSettings): RequestListener {
  if (restUrl === undefined) {
    return (_, response) =>
      refuse(response, 501, 'this console knows no REST services; start it with --rest-url for tasks and history');
  }
  const ca = caFile === undefined ? {} : { ca: readOptionFile(caFile, '--ca-file') };
  const behind = { server: restUrl, tls: ca };
  return (request, response) =>
    passOn({ behind, name: 'the service of --rest-url', hasOtherTokens: true }, request, response);
}
