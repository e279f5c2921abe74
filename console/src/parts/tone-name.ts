/** What a colour says: fine, being worked on, look at it, broken, or nothing of these. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';
