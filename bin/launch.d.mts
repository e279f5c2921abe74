/** Runs a program to its end and ends as it did. The program ends, too, when this process is killed. */
export declare function launch(node: string, words: readonly string[]): void;
