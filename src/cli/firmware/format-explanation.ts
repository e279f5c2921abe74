import type { ServerExplanation } from '../../firmware/index.ts';
import { firmwareCells, grid } from './format-plan.ts';

/** An explanation as text: sentences, what is wanted, what happened, and what to type. */
export function formatExplanation({ sentences, wanted, events, advice }: ServerExplanation): string {
  const parts = [
    sentences.map((each) => `${each.replaceAll(/\p{Cc}+/gu, ' ')}\n`).join(''),
    grid(
      ['FIRMWARE', 'MAKER', 'INSTALLED', 'WANTED', 'FOR', ''],
      wanted.map((each) => {
        const isThere = each.relation === 'same';
        const cells = firmwareCells(each.relation === 'unknown' ? { ...each, installed: 'not known' } : each);
        return [...cells, isThere ? 'as wanted' : each.relation];
      }),
    ),
    grid(
      ['EVENT', 'ABOUT', 'REASON', 'LAST SEEN', 'MESSAGE'],
      events.map(({ type, about, reason, lastSeen, message, count }) => [
        type,
        about,
        reason,
        lastSeen,
        count > 1 ? `${message} (${count} times)` : message,
      ]),
    ),
    advice.length === 0
      ? ''
      : `What to type next:\n${advice.map(({ command, purpose }) => `  ${command}\n      to ${purpose}\n`).join('')}`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}
