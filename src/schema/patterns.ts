import { RE2JS } from 're2js';

/** A compiled pattern, or why it does not compile, in Go's words. */
export type Pattern = { readonly test: (text: string) => boolean } | { readonly error: string };

/**
 * Compiles a pattern with Go's regular-expression syntax and meaning. RE2 matches in linear time, so a pattern in
 * somebody's CustomResourceDefinition cannot stall the server, as a backtracking RegExp could.
 */
export function compilePattern(source: string): Pattern {
  try {
    const compiled = RE2JS.compile(source);
    return { test: (text) => compiled.test(text) };
  } catch (cause) {
    return { error: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** The same, compiled when the first text is tested: most schemas have more patterns than are ever used. */
export function lazyPattern(source: string): (text: string) => boolean {
  let compiled: Pattern | undefined;
  return (text) => {
    compiled ??= compilePattern(source);
    return 'test' in compiled && compiled.test(text);
  };
}
