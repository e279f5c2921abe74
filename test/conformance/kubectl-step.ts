import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { ConformanceTarget } from './target.ts';

/** How one kubectl call ended. */
export interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to call kubectl. */
export interface KubectlOptions {
  readonly stdin?: string;
  /** Keeps only part of the printed lines for the comparison. */
  readonly show?: (line: string) => boolean;
  /** A kubeconfig other than the administrator's. */
  readonly kubeconfigPath?: string;
  /** The program that `kubectl edit` starts; without one, nothing is changed. */
  readonly editor?: string;
}

/** A folder of its own in which one case runs kubectl against one target. */
export class KubectlFolder {
  readonly #target: ConformanceTarget;
  readonly #folder: string;
  constructor(target: ConformanceTarget, folder: string) {
    this.#target = target;
    this.#folder = folder;
  }

  /** Writes a file for `-f`; objects become YAML documents. */
  file(name: string, content: string | object | readonly object[]): void {
    mkdirSync(this.#folder, { recursive: true });
    const documents = Array.isArray(content) ? content : [content];
    const text = typeof content === 'string' ? content : documents.map((each) => stringify(each)).join('---\n');
    writeFileSync(join(this.#folder, name), text);
  }

  /** Runs kubectl to its end, at most five minutes. */
  run(args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    const { child, output } = this.#spawn(args, options);
    const limit = setTimeout(() => child.kill('SIGKILL'), 300_000);
    return new Promise((done, fail) => {
      child.on('error', fail);
      child.on('close', (code) => {
        clearTimeout(limit);
        done({ code, ...output });
      });
    });
  }

  /** Runs kubectl until it has printed so many lines (or two minutes), doing something once it has printed the first ones. */
  async follow(
    args: readonly string[],
    wanted: { firstLines: number; lines: number },
    during: () => Promise<void>,
  ): Promise<string[]> {
    const { child, output } = this.#spawn(args, {});
    const deadline = Date.now() + 120_000;
    const until = async (count: number) => {
      while (completeLines(output.stdout).length < count && Date.now() < deadline && child.exitCode === null) {
        await delay(20);
      }
    };
    await until(wanted.firstLines);
    await during();
    await until(wanted.lines);
    const closed = new Promise((done) => child.once('close', done));
    child.kill('SIGTERM');
    await closed;
    return completeLines(output.stdout);
  }

  /** Runs kubectl proxy on a free port while something is done through it. */
  async proxy(args: readonly string[], during: (url: string) => Promise<void>): Promise<void> {
    const { child, output } = this.#spawn(['proxy', '--port=0', ...args], {});
    const deadline = Date.now() + 120_000;
    const closed = new Promise((done) => child.once('close', done));
    let address: RegExpExecArray | null = null;
    while (address === null && Date.now() < deadline && child.exitCode === null) {
      await delay(20);
      address = /Starting to serve on (\S+)/.exec(output.stdout);
    }
    try {
      if (address === null) throw new Error(`kubectl proxy did not start: ${output.stderr}`);
      await during(`http://${address[1]}`);
    } finally {
      child.kill('SIGTERM');
      await closed;
    }
  }

  #spawn(args: readonly string[], options: KubectlOptions) {
    mkdirSync(this.#folder, { recursive: true });
    const kubeconfig = options.kubeconfigPath ?? this.#target.kubeconfigPath;
    const child = spawn(this.#target.kubectl, [...args], {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: this.#folder,
        KUBECONFIG: kubeconfig,
        KUBE_EDITOR: options.editor ?? 'true',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output.stderr += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.stdin ?? '');
    return { child, output };
  }
}

function completeLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}
