import type { Tone } from '../ui/State.tsx';

/** Returns the color of a score from 0 to 100, so that every page uses the same colors. */
export const getHealthTone = (health: number): Tone => (health >= 80 ? 'on' : health >= 50 ? 'warn' : 'bad');
