/** One command of a page and what it printed. */
export interface ConsoleStep {
  readonly command: string;
  readonly output: string;
}

const fence = '```';

/** The commands of a page: lines that begin with `$ ` inside console blocks, each with the lines up to the next. */
export function readConsoleSteps(page: string): ConsoleStep[] {
  return consoleBlocks(page).flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return { command: part.slice(0, end), output: part.slice(end + 1) };
      }),
  );
}

function consoleBlocks(page: string): string[] {
  return [...page.matchAll(new RegExp(`^${fence}console\\n(.*?)^${fence}$`, 'gms'))].map(([, block]) => block ?? '');
}

/** The page with other outputs, in the order of its commands. */
export function writeConsoleSteps(page: string, steps: readonly ConsoleStep[]): string {
  const rest = [...steps];
  return page.replaceAll(new RegExp(`^${fence}console\\n(.*?)^${fence}$`, 'gms'), (_, block: string) => {
    const count = readConsoleSteps(`${fence}console\n${block}${fence}`).length;
    const lines = rest.splice(0, count).map(({ command, output }) => `$ ${command}\n${output}`);
    return `${fence}console\n${lines.join('')}${fence}`;
  });
}

/** The words of a command line as a shell would give them. */
export function shellWords(command: string): string[] {
  const parts = command.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g);
  return [...parts].map(([part]) => part.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** What differs from run to run, made alike: ages, times, folders, ports and simulated milliseconds. */
export function normalise(text: string, folders: ReadonlyMap<string, string>): string {
  let result = text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b(\d+[ydhm])?\d+[ydhms]$/gm, '5s')
    // The column is as wide as the longest of them.
    .replace(/\bAGE +(?=\S)/g, 'AGE   ');
  result = result
    .replace(/\bcondition [0-9a-f-]{36}\b/g, 'condition 01890a5d-ac96-774b-bcce-b302099a8057')
    .replace(/(https?:\/\/127\.[\d.]+):\d{5}\b/g, '$1:54321')
    .replace(/^\d+ (?=[a-z-]+\.[a-z-]+(?: |$))/gm, '81520 ');
  for (const [folder, name] of folders) result = result.replaceAll(folder, name);
  return result;
}
