import type { SwitchFailure } from '../switch-result.ts';
import type { RunnerAnswer, TaskResult } from './runner-order.ts';

// What ssh, paramiko and Ansible say; there is nothing but their words to go by.
const untrusted =
  /host key verification failed|host key checking is enabled|host key .*(?:mismatch|does not match)|remote host identification|not found in known_hosts|is not trusted|no \S+ host key is known|BadHostKey/i;
const denied =
  /permission denied|authentication failed|invalid\/incorrect (?:username|password)|incorrect password|no existing session|AuthenticationException|failed to authenticate/i;
const noPort =
  /no row "[^"]*" in table (?:Port|Interface)|no port named|does not exist on this device|invalid interface/i;
const lost =
  /timed? ?out|connection (?:refused|reset|closed)|no route to host|network is unreachable|unable to connect|EOF|kex_exchange_identification/i;

/** Why an order failed, or undefined when all of it was done. */
export function failureOf(title: string, answer: RunnerAnswer): SwitchFailure | undefined {
  if (answer.error !== undefined)
    return { kind: 'unreachable', message: `${title} was not reached: ${oneLine(answer.error)}` };
  const failed = answer.results?.find(({ status }) => status !== 'ok');
  return failed === undefined ? undefined : failureOfTask(title, failed);
}

function failureOfTask(title: string, { name, status, result }: TaskResult): SwitchFailure {
  const said = oneLine([result.msg, result.stderr].filter((each) => each !== undefined && each !== '').join(' '));
  const message = `${title}, ${name}: ${said}`;
  if (untrusted.test(said)) return { kind: 'untrusted', message };
  if (denied.test(said)) return { kind: 'denied', message };
  if (status === 'unreachable') return { kind: 'unreachable', message };
  if (noPort.test(said)) return { kind: 'no-port', message };
  return lost.test(said) && result.rc === undefined ? { kind: 'unreachable', message } : { kind: 'refused', message };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
