import { readConsoleSteps } from '../../examples/console-page.ts';

/** A block of a page that shows commands. */
export interface CommandBlock {
  /** `page:line` of its first line, to be named in failures. */
  readonly where: string;
  readonly language: 'sh' | 'console';
  /** What is between its fences. */
  readonly text: string;
  /** What the comment before it says; none: its commands are run on the rack of this suite. */
  readonly mark: BlockMark | undefined;
}

/** `<!-- run: by=FILE needs=WORD -->`: another suite runs these commands, since they need something that not every machine has. */
export interface BlockMark {
  readonly by: string;
  readonly needs: string;
}

const fence = '```';
const startsLikeCommand = /^(\$ |npx |npm |rackwright |kubectl |curl |helm |docker )/m;

/** Every block of commands of a page, in order. Throws for marks that cannot be meant. */
export function readBlocks(page: string, text: string): CommandBlock[] {
  return fencedBlocks(text)
    .filter(({ language }) => language === 'sh' || language === 'console')
    .map(({ language, body, line, before }) => ({
      where: `${page}:${line}`,
      language: language as 'sh' | 'console',
      text: body,
      mark: readMark(`${page}:${line}`, before),
    }));
}

/** Blocks that show commands without saying that they do, as `page:line`. */
export function unnamedCommandBlocks(page: string, text: string): string[] {
  return fencedBlocks(text)
    .filter(({ language, body }) => !['sh', 'console'].includes(language) && startsLikeCommand.test(body))
    .filter(({ language }) => ['', 'bash', 'shell', 'shell-session', 'text'].includes(language))
    .map(({ line }) => `${page}:${line}`);
}

/** Commands of ours inside sentences and tables: `rackwright ...` in backquotes. */
export function inlineCommands(text: string): string[] {
  const prose = text.replaceAll(new RegExp(`^${fence}.*?^${fence}$`, 'gms'), '');
  const codes = [...prose.matchAll(/`((?:npx )?rackwright [^`]+|npm start -- [^`]+)`/g)].map(([, code = '']) => code);
  return codes.map((code) => code.replaceAll(/\s+/g, ' ').replaceAll('\\|', '|'));
}

/**
 * Commands inside sentences that could be typed as they are: with options, and without words that stand for others (`FILE`,
 * `...`). What ends with an option only names it.
 */
export function typableInSentences(text: string): string[] {
  const prose = text.replaceAll(new RegExp(`^${fence}.*?^${fence}$`, 'gms'), '').replaceAll(/<!--.*?-->/gs, '');
  const codes = [...prose.matchAll(/`((?:npx|npm|rackwright|kubectl|helm|curl|openssl|docker) [^`]+)`/g)];
  return codes
    .map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
    .filter((code) => / -/.test(code) && !/\b[A-Z]{2,}\b|\.\.\./.test(code) && !/ -\S*$/.test(code));
}

/** The command lines of a block: without comments, continued lines joined. */
export function commandsOf({ language, text }: Pick<CommandBlock, 'language' | 'text'>): string[] {
  if (language === 'console') {
    return readConsoleSteps(`${fence}console\n${text}${fence}`).map(({ command }) => withoutComment(command));
  }
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map(withoutComment)
    .filter((line) => line !== '');
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, '').trim();
}

function fencedBlocks(text: string) {
  const found = [...text.matchAll(new RegExp(`^${fence}([a-z-]*)\\n(.*?)^${fence}$`, 'gms'))];
  return found.map(({ 1: language = '', 2: body = '', index }) => ({
    ...{ language, body },
    line: text.slice(0, index).split('\n').length,
    before: text.slice(0, index).trimEnd().split('\n').at(-1) ?? '',
  }));
}

function readMark(where: string, before: string): BlockMark | undefined {
  const words = /^<!-- run: (.*) -->$/.exec(before)?.[1];
  if (words === undefined) return undefined;
  const parts = new Map(words.split(/\s+/).map((word) => word.split('=', 2) as [string, string]));
  const { by, needs } = { by: parts.get('by'), needs: parts.get('needs') };
  if (by === undefined || needs === undefined || parts.size !== 2) {
    throw new Error(`${where}: the comment before it has to be <!-- run: by=FILE needs=WORD -->, not "${words}"`);
  }
  return { by, needs };
}
