import type { Tone } from '../ui/State.tsx';

/** The color of a score from 0 to 100, the same on every page. */
export const healthTone = (health: number): Tone => (health >= 80 ? 'on' : health >= 50 ? 'warn' : 'bad');
